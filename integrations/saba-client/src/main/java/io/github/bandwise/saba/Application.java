package io.github.bandwise.saba;

import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An application that runs, until it is closed. A thread of its own, which keeps no program alive, says to the controller
 * what is to be said, keeps the lease, and finds a controller that comes back. Without a controller all goes on as it
 * would.
 */
public final class Application implements AutoCloseable {
    /** From one look at the connections to the next, in milliseconds. */
    private static final long LOOK = 1_000;

    private final Session session;
    private final Wires wires;
    private final Supplier<Set<Link>> connections;
    private final Consumer<News> log;
    private final Thread thread;
    private long lookAt = Long.MIN_VALUE;

    private Application(Named named, Options options, Supplier<Set<Link>> connections, Consumer<News> log) {
        this.session = new Session(named);
        this.wires = new Wires(options.controllers(), options.tls(), options.token());
        this.connections = connections;
        this.log = log;
        this.thread = new Thread(this::keep, "saba");
        thread.setDaemon(true);
    }

    /**
     * An application runs.
     *
     * @param connections says which connections there are at the time; asked each second, on the application's thread
     * @param log is told when the application is registered or refused, and when a controller is away
     */
    public static Application start(
            Named named, Options options, Supplier<Set<Link>> connections, Consumer<News> log) {
        Application application = new Application(named, options, connections, log);
        application.thread.start();
        return application;
    }

    /** The mark (DSCP) that packets of its connections are to carry, if a controller has said it. */
    public synchronized Optional<Long> dscp() {
        return Optional.ofNullable(session.dscp());
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    private void keep() {
        try (wires) {
            for (Said said = next(); said != null; said = next()) {
                // The lock is free meanwhile: nobody waits for a controller.
                hear(wires.ask(said));
            }
        } catch (InterruptedException ended) {
            // The program wants the thread gone; the lease ends by itself.
        } catch (RuntimeException fault) {
            log.accept(new News(true, "stops, and the program goes on: " + fault));
        }
    }

    /** Waits until something is to be said; null when nothing ever is. */
    private Said next() throws InterruptedException {
        while (true) {
            // The same here: names of hosts may take a resolver that is slow.
            Set<Link> links = now() >= lookAt ? connections.get() : null;
            synchronized (this) {
                long now = now();
                if (links != null) {
                    session.hold(links);
                    lookAt = now + LOOK;
                }
                Said said = session.say(now);
                if (said != null || session.isOver()) {
                    return said;
                }
                wait(Math.max(1, Math.min(session.waits(now), lookAt - now)));
            }
        }
    }

    private synchronized void hear(Heard heard) {
        session.hear(heard, now());
        session.news().forEach(log);
    }

    /** It ends: says goodbye, if somebody hears it. Waits for no longer than two answers of one place may take. */
    @Override
    public void close() {
        synchronized (this) {
            session.end(now());
            notifyAll();
        }
        try {
            thread.join(2 * Wire.PATIENCE);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }
}
