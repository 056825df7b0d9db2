package io.github.bandwise.saba;

/**
 * A connection as switches see it: a sending and a receiving host.
 *
 * @param from the sending host, by its name at the controller
 * @param to the receiving host
 */
public record Link(String from, String to) {}
