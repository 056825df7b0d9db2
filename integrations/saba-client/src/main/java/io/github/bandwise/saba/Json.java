package io.github.bandwise.saba;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * JSON (RFC 8259) as maps, lists, strings, {@link Long}, {@link Double}, {@link Boolean} and null. The host program has
 * its own versions of JSON libraries, and a controller's answers are small, so this class reads them.
 */
final class Json {
    /** The deepest nesting of arrays and objects. */
    private static final int DEEPEST = 64;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** Reads one value that ends with the text. Fails with the position of the first error. */
    static Object read(String text) {
        Json json = new Json(text);
        Object value = json.value(0);
        json.space();
        if (json.at < text.length()) {
            throw json.wrong("nothing more");
        }
        return value;
    }

    /** Writes maps, strings and numbers. */
    static String write(Object value) {
        if (value instanceof Map<?, ?> map) {
            List<String> members = new ArrayList<>();
            map.forEach((name, of) -> members.add(quoted(name.toString()) + ":" + write(of)));
            return "{" + String.join(",", members) + "}";
        }
        return value instanceof String string ? quoted(string) : String.valueOf(value);
    }

    private static String quoted(String string) {
        StringBuilder out = new StringBuilder("\"");
        for (char c : string.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    private IllegalArgumentException wrong(String wanted) {
        return new IllegalArgumentException("no JSON at character " + at + " (allowed: " + wanted + ")");
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    /** Consumes the next non-space character if it is the given one. */
    private boolean takes(char c) {
        space();
        boolean is = at < text.length() && text.charAt(at) == c;
        at += is ? 1 : 0;
        return is;
    }

    private void expect(char c) {
        if (!takes(c)) {
            throw wrong("'" + c + "'");
        }
    }

    private Object value(int depth) {
        if (depth > DEEPEST) {
            throw wrong(DEEPEST + " levels");
        }
        if (takes('{')) {
            Map<String, Object> members = new LinkedHashMap<>();
            if (takes('}')) {
                return members;
            }
            do {
                expect('"');
                String name = string();
                expect(':');
                members.put(name, value(depth + 1));
            } while (takes(','));
            expect('}');
            return members;
        }
        if (takes('[')) {
            List<Object> items = new ArrayList<>();
            if (takes(']')) {
                return items;
            }
            do {
                items.add(value(depth + 1));
            } while (takes(','));
            expect(']');
            return items;
        }
        return takes('"') ? string() : word();
    }

    /** Reads the rest of a string after its first quote. */
    private String string() {
        StringBuilder out = new StringBuilder();
        while (at < text.length()) {
            char c = text.charAt(at++);
            if (c == '"') {
                return out.toString();
            }
            if (c < ' ') {
                break;
            }
            out.append(c == '\\' ? escaped() : c);
        }
        throw wrong("the end of a string");
    }

    private char escaped() {
        char c = at < text.length() ? text.charAt(at++) : ' ';
        int plain = "\"\\/bfnrt".indexOf(c);
        if (plain >= 0) {
            return "\"\\/\b\f\n\r\t".charAt(plain);
        }
        String digits = c == 'u' && at + 4 <= text.length() ? text.substring(at, at + 4) : "";
        if (!digits.matches("[0-9a-fA-F]{4}")) {
            throw wrong("an escape");
        }
        at += 4;
        return (char) Integer.parseInt(digits, 16);
    }

    /** Reads a number or a literal name. */
    private Object word() {
        int from = at;
        while (at < text.length() && ("+-.".indexOf(text.charAt(at)) >= 0 || Character.isLetterOrDigit(text.charAt(at)))) {
            at++;
        }
        String word = text.substring(from, at);
        switch (word) {
            case "null":
                return null;
            case "true":
                return true;
            case "false":
                return false;
            default:
        }
        if (!word.matches("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")) {
            at = from;
            throw wrong("a value");
        }
        if (word.matches("-?[0-9]{1,18}")) {
            return Long.valueOf(word);
        }
        return Double.valueOf(word);
    }
}
