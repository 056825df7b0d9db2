package io.github.bandwise.saba;

/**
 * A connection, as far as switches see one: data go from a host to a host.
 *
 * @param from what the controller calls the host that data leave
 * @param to what it calls the one that they go to
 */
public record Link(String from, String to) {}
