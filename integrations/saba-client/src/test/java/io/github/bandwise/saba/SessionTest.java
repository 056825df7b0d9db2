package io.github.bandwise.saba;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionTest {
    private static final Link OUT = new Link("h1", "h2");
    private static final Link BACK = new Link("h2", "h1");

    private final FakeController controller = new FakeController();
    private final List<String> logLines = new ArrayList<>();
    private long now = 1_000;

    /** Sends all due requests. */
    private void talk(Session session) {
        for (Request request = session.nextRequest(now); request != null; request = session.nextRequest(now)) {
            session.receive(controller.answer(request, now), now);
        }
        session.takeLog().forEach(of -> logLines.add((of.isWarning() ? "warning: " : "") + of.text()));
    }

    private static Session session(String job) {
        return new Session(new Named("LR", job));
    }

    @Test
    void registersWithItsJobAndHoldsWhatThereIs() {
        Session session = session("app-1");
        session.hold(Set.of(OUT, BACK));
        talk(session);
        assertEquals(List.of("LR app-1"), controller.applications());
        assertEquals(Set.of(OUT, BACK), controller.connections());
        assertEquals(7, session.dscp());
        assertEquals(List.of("LR is registered, with the mark (DSCP) 7"), logLines);
        session.hold(Set.of(BACK));
        talk(session);
        assertEquals(Set.of(BACK), controller.connections());
        session.end(now);
        talk(session);
        assertTrue(session.isOver());
        assertEquals(List.of(), controller.applications());
    }

    @Test
    void doubtsAboutTheModelAreWarnedOfOnce() {
        controller.doubts = List.of("used with 9.00 times the nodes");
        Session session = session(null);
        assertEquals(List.of(), session.doubts());
        talk(session);
        assertEquals(controller.doubts, session.doubts());
        String warning = "warning: the model of LR is doubtful: used with 9.00 times the nodes";
        assertEquals(List.of("LR is registered, with the mark (DSCP) 7", warning), logLines);
        controller.forget();
        now += FakeController.LEASE;
        talk(session);
        assertEquals(List.of(warning), logLines.stream().filter(line -> line.startsWith("warning")).toList());
        // A controller without the field has none.
        assertEquals(List.of(), new Response.Done(java.util.Map.of()).texts("doubts"));
    }

    @Test
    void theLeaseIsKeptWithoutAWord() {
        Session session = session(null);
        talk(session);
        int done = controller.done;
        for (int step = 0; step < 100; step++) {
            long waits = session.waits(now);
            assertTrue(waits > 0 && waits <= FakeController.LEASE / 3, "waits " + waits);
            now += waits;
            talk(session);
        }
        assertEquals(List.of("LR null"), controller.applications());
        assertEquals(done, controller.done);
    }

    @Test
    void withoutAControllerThereIsOneWarningAndLongerWaits() {
        Session session = session(null);
        List<Long> waits = new ArrayList<>();
        for (int step = 0; step < 7; step++) {
            assertEquals("/v1/clients", session.nextRequest(now).path());
            session.receive(new Response.Nothing("connection refused"), now);
            assertNull(session.nextRequest(now));
            waits.add(session.waits(now));
            now += session.waits(now);
        }
        assertEquals(List.of(500L, 1_000L, 2_000L, 4_000L, 8_000L, 10_000L, 10_000L), waits);
        assertEquals(1, session.takeLog().size());
        talk(session);
        assertEquals("the controller is there again", logLines.get(0));
        assertEquals(List.of("LR null"), controller.applications());
    }

    @Test
    void whoIsAwayHearsNoGoodbye() {
        Session session = session(null);
        talk(session);
        now += 1_000;
        session.nextRequest(now);
        session.receive(new Response.Nothing("reset"), now);
        session.end(now);
        assertTrue(session.isOver());
        assertNull(session.nextRequest(now));
    }

    @Test
    void aRefusedApplicationIsToldOnceAndSaysGoodbye() {
        Session session = new Session(new Named("none", null));
        talk(session);
        assertEquals(List.of("warning: the controller refused none: no application called none"), logLines);
        assertTrue(session.isOver());
        assertNull(session.dscp());
        assertEquals(new Response.Forgotten(), controller.answer(new Request("POST", "/v1/clients/0/renew", ""), now));
    }

    @Test
    void aRefusedConnectionIsNotAskedForAgainWhileItIsThere() {
        controller.unknown.add("h2");
        Session session = session(null);
        session.hold(Set.of(OUT, BACK));
        talk(session);
        int done = controller.done;
        session.hold(Set.of(OUT, BACK));
        talk(session);
        assertEquals(done, controller.done);
        assertEquals(Set.of(BACK), controller.connections());
        assertEquals("warning: the controller refused a connection from h1 to h2: there is no host h2", logLines.get(1));
        // A connection that is created again is another one.
        controller.unknown.clear();
        session.hold(Set.of(BACK));
        session.hold(Set.of(OUT, BACK));
        talk(session);
        assertEquals(Set.of(OUT, BACK), controller.connections());
    }

    @Test
    void whatEndsWhileSomethingIsSaidSaysGoodbyeNext() {
        Session session = session(null);
        talk(session);
        session.hold(Set.of(OUT));
        Request connect = session.nextRequest(now);
        session.end(now);
        session.receive(controller.answer(connect, now), now);
        assertEquals("DELETE", session.nextRequest(now).method());
        session.receive(new Response.Forgotten(), now);
        assertTrue(session.isOver());
    }

    @Test
    void anAnswerThatLacksWhatItMustSayIsNone() {
        Session session = session(null);
        session.nextRequest(now);
        session.receive(new Response.Done(java.util.Map.of("client", "0")), now);
        assertNull(session.nextRequest(now));
        assertTrue(session.takeLog().get(0).text().contains("an answer without \"client\""));
    }

    /** Answers are lost, before and after the request was done, leases end, stores are lost, connections come and go. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void whateverHappensTheControllerKnowsInTheEndWhatThereIs(long seed) {
        Random random = new Random(seed);
        for (int run = 0; run < 200; run++) {
            Session session = session("job");
            Set<Link> wanted = new HashSet<>();
            for (int step = 0; step < 60; step++) {
                if (random.nextInt(4) == 0) {
                    Link link = new Link("h" + random.nextInt(3), "h" + random.nextInt(3));
                    if (!wanted.remove(link)) {
                        wanted.add(link);
                    }
                    session.hold(wanted);
                }
                if (random.nextInt(30) == 0) {
                    controller.forget();
                }
                now += random.nextInt(20) == 0 ? 5_000 : random.nextInt(300);
                Request request = session.nextRequest(now);
                if (request == null) {
                    continue;
                }
                int fate = random.nextInt(4);
                Response response = fate == 0 ? null : controller.answer(request, now);
                session.receive(fate < 2 ? new Response.Nothing("lost") : response, now);
            }
            now += Session.LONGEST_RETRY;
            // The lease of the previous client has ended by then.
            now += FakeController.LEASE;
            talk(session);
            assertEquals(wanted, controller.connections());
            assertEquals(1, controller.applications().size());
            session.end(now);
            talk(session);
            assertTrue(session.isOver());
            assertEquals(List.of(), controller.applications());
        }
        assertFalse(controller.done == 0);
    }
}
