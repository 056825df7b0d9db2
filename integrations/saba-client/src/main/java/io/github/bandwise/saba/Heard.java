package io.github.bandwise.saba;

import java.util.Map;

/** What a controller answered. */
sealed interface Heard {
    /** It was done, and this is what it says of it. */
    record Done(Map<String, Object> answer) implements Heard {
        /** A whole number of the answer, or null. */
        Long number(String name) {
            return answer.get(name) instanceof Long number ? number : null;
        }
    }

    /** The lease has ended, or the controller has another store. */
    record Forgotten() implements Heard {}

    /** It was refused, in its words. */
    record Refused(String why) implements Heard {}

    /** Nothing was heard, or that the same is to be said again. */
    record Nothing(String why) implements Heard {}
}
