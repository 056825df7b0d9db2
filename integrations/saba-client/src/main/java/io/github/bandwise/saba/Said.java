package io.github.bandwise.saba;

/** A request of HTTP: the same may be said twice. */
record Said(String method, String path, String body) {}
