package io.github.bandwise.saba;

/**
 * What people are to read in a log.
 *
 * @param isWarning whether something is not as it was wanted
 * @param text a line
 */
public record News(boolean isWarning, String text) {}
