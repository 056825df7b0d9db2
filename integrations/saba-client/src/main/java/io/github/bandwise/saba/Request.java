package io.github.bandwise.saba;

/** An HTTP request, which may be repeated. */
record Request(String method, String path, String body) {}
