package io.github.bandwise.saba;

import java.util.List;
import java.util.Map;

/** The result of a request to a controller. */
sealed interface Response {
    /** The request took effect. */
    record Done(Map<String, Object> answer) implements Response {
        /** Returns an integer field of the answer, or null. */
        Long number(String name) {
            return answer.get(name) instanceof Long number ? number : null;
        }

        /** Returns the texts of a list of the answer, which may be absent. */
        List<String> texts(String name) {
            List<?> list = answer.get(name) instanceof List<?> texts ? texts : List.of();
            return list.stream().filter(String.class::isInstance).map(String.class::cast).toList();
        }
    }

    /** The lease has ended, or the controller has another store. */
    record Forgotten() implements Response {}

    /** The controller refused, with its reason. */
    record Refused(String why) implements Response {}

    /** No answer came, or the request is to be repeated. */
    record Nothing(String why) implements Response {}
}
