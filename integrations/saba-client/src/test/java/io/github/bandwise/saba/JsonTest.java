package io.github.bandwise.saba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @Test
    void valuesAreRead() {
        String text = " {\"a\": [1, -2.5e1, true, null, {}, []], \"b\\u00e9\\n\": \"\\\"\\\\/ \\ud83d\\ude00\"} ";
        Map<?, ?> read = (Map<?, ?>) Json.read(text);
        List<?> items = (List<?>) read.get("a");
        assertEquals(List.of(1L, -25.0, true), items.subList(0, 3));
        assertEquals(null, items.get(3));
        assertEquals(List.of(Map.of(), List.of()), items.subList(4, 6));
        assertEquals("\"\\/ \ud83d\ude00", read.get("bé\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "{\"a\"}", "[1,]", "01", "1 2", "nul", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "{a:1}", "-"})
    void whatIsNoneIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> Json.read(text));
    }

    @Test
    void depthIsLimited() {
        assertThrows(IllegalArgumentException.class, () -> Json.read("[".repeat(100_000)));
    }

    @Test
    void whatIsWrittenIsReadAgain() {
        Random random = new Random(1);
        for (int run = 0; run < 1_000; run++) {
            StringBuilder string = new StringBuilder();
            for (int length = random.nextInt(8); length > 0; length--) {
                string.append((char) random.nextInt(run % 2 == 0 ? 0x80 : 0x10000));
            }
            Map<String, Object> value = Map.of("s" + string, string.toString(), "n", random.nextLong() >> 8);
            assertEquals(value, Json.read(Json.write(value)));
        }
    }
}
