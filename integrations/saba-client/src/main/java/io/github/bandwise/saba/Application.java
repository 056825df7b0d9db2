package io.github.bandwise.saba;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A registered application, until it is closed. A daemon thread sends its requests to the controller, keeps the lease, and
 * reconnects. Without a controller, the program is not affected.
 */
public final class Application implements AutoCloseable {
    /** The period of checks of the connections, in milliseconds. */
    private static final long LOOK = 1_000;

    private final Session session;
    private final Controllers controllers;
    private final Supplier<Set<Link>> connections;
    private final Consumer<LogLine> log;
    private final Thread thread;
    private long lookAt = Long.MIN_VALUE;

    private Application(Named named, Options options, Supplier<Set<Link>> connections, Consumer<LogLine> log) {
        this.session = new Session(named);
        this.controllers = new Controllers(options.controllers(), options.tls(), options.token());
        this.connections = connections;
        this.log = log;
        this.thread = new Thread(this::keep, "saba");
        thread.setDaemon(true);
    }

    /**
     * Starts an application.
     *
     * @param connections supplies the current connections; called each second, on the application's thread
     * @param log receives lines about registration, refusals and unreachable controllers
     */
    public static Application start(
            Named named, Options options, Supplier<Set<Link>> connections, Consumer<LogLine> log) {
        Application application = new Application(named, options, connections, log);
        application.thread.start();
        return application;
    }

    /** Returns the mark (DSCP) for the packets of its connections, if a controller has assigned one. */
    public synchronized Optional<Long> dscp() {
        return Optional.ofNullable(session.dscp());
    }

    /**
     * Returns the controller's doubts about the application's model under the conditions of this run, as texts for people.
     * Empty without doubts, and before a controller has registered the application.
     */
    public synchronized List<String> doubts() {
        return session.doubts();
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    private void keep() {
        try (controllers) {
            for (Request request = next(); request != null; request = next()) {
                // Without the lock, so that callers do not wait for a controller.
                receive(controllers.ask(request));
            }
        } catch (InterruptedException ended) {
            // The program stops the thread; the lease ends by itself.
        } catch (RuntimeException fault) {
            log.accept(new LogLine(true, "stops, and the program goes on: " + fault));
        }
    }

    /** Waits for the next request. Returns null after the last one. */
    private Request next() throws InterruptedException {
        while (true) {
            // Without the lock: a resolver may be slow.
            Set<Link> links = now() >= lookAt ? connections.get() : null;
            synchronized (this) {
                long now = now();
                if (links != null) {
                    session.hold(links);
                    lookAt = now + LOOK;
                }
                Request request = session.nextRequest(now);
                if (request != null || session.isOver()) {
                    return request;
                }
                wait(Math.max(1, Math.min(session.waits(now), lookAt - now)));
            }
        }
    }

    private synchronized void receive(Response response) {
        session.receive(response, now());
        session.takeLog().forEach(log);
    }

    /** Ends the application and deregisters it if a controller answers. Waits at most for two answers of one address. */
    @Override
    public void close() {
        synchronized (this) {
            session.end(now());
            notifyAll();
        }
        try {
            thread.join(2 * ControllerConnection.PATIENCE);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
