package io.github.bandwise.saba;

/**
 * A line for the log.
 *
 * @param isWarning true for a warning
 * @param text its text
 */
public record LogLine(boolean isWarning, String text) {}
