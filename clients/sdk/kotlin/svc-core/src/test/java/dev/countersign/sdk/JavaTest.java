package dev.countersign.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.countersign.sdk.screen.ScreenTexts;
import dev.countersign.sdk.screen.ScreenTextsBuilder;
import dev.countersign.sdk.support.Browser;
import dev.countersign.sdk.support.PhoneKt;
import dev.countersign.sdk.support.Server;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The SDK as a program in Java uses it. */
class JavaTest {
    private static Server server;

    @BeforeAll
    static void start() {
        server = new Server();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** A callback that completes a future, as the README shows it. */
    private static class Answer<T> extends CompletableFuture<T> implements SvcCallback<T> {
        @Override
        public void onSuccess(T value) {
            complete(value);
        }

        @Override
        public void onFailure(SvcException error) {
            completeExceptionally(error);
        }

        T soon() throws Exception {
            return get(60, TimeUnit.SECONDS);
        }
    }

    private static SvcCore svc() {
        List<String> hosts = List.of(server.getUrl().replace("http://127.0.0.1", "localhost"));
        return new SvcCore(
                new SvcConfiguration(server.getUrl(), hosts), SvcPlatform.files(PhoneKt.newPhone()));
    }

    private static Session open(SvcCore svc, Browser browser) throws Exception {
        Answer<Session> session = new Answer<>();
        String id = svc.sessionIdOf(browser.getLink());
        svc.initializeQrSession(server.getAppKey(), id, null, Runnable::run, session);
        return session.soon();
    }

    @Test
    void confirmedPayloadArrives() throws Exception {
        Browser browser = Browser.Companion.open(server, true, null);
        Session session = open(svc(), browser);
        assertEquals(server.getUrl(), session.getOrigin());
        Answer<Boolean> confirmed = new Answer<>();
        session.confirm("a token", Runnable::run, confirmed);
        assertTrue(confirmed.soon());
        assertEquals("a token", browser.redeem().getPayload());
    }

    @Test
    void denialEndsTheLoginAndFailuresSayWhy() throws Exception {
        Browser browser = Browser.Companion.open(server, true, null);
        SvcCore svc = svc();
        Session session = open(svc, browser);
        Answer<Boolean> denied = new Answer<>();
        session.deny("", Runnable::run, denied);
        assertTrue(denied.soon());
        assertEquals("denied", browser.state());

        Answer<Boolean> late = new Answer<>();
        session.confirm("a token", Runnable::run, late);
        Throwable cause = assertThrows(ExecutionException.class, late::soon).getCause();
        assertFalse(assertInstanceOf(SvcException.AlreadyAnswered.class, cause).getConfirmed());
        assertThrows(SvcException.InvalidLink.class, () -> svc.sessionIdOf("https://menu.example"));
    }

    /** The callback waits on an executor that runs nothing before the call is cancelled. */
    @Test
    void cancelledCallHasNoResult() throws Exception {
        Browser browser = Browser.Companion.open(server, true, null);
        SvcCore svc = svc();
        Queue<Runnable> later = new ArrayDeque<>();
        CompletableFuture<Void> queued = new CompletableFuture<>();
        Answer<Session> session = new Answer<>();
        SvcCall call =
                svc.initiateQrSession(
                        server.getAppKey(),
                        browser.getSessionId(),
                        null,
                        task -> {
                            later.add(task);
                            queued.complete(null);
                        },
                        session);
        queued.get(60, TimeUnit.SECONDS);
        call.cancel();
        later.remove().run();
        assertFalse(session.isDone());
        assertEquals(browser.getSessionId(), open(svc, browser).getSessionId());
    }

    @Test
    void associationKeysNeedNoCallback() {
        SvcCore svc = svc();
        String key = svc.generateAssociationKey("zoe");
        assertEquals(key, svc.getAssociationKey("zoe"));
        assertEquals(List.of("zoe"), svc.listAssociationKey());
        assertFalse(svc.generateUserSignature("zoe", "text").isEmpty());
    }

    @Test
    void screenTextsOfTheAppComeFirst() {
        ScreenTextsBuilder dutch = new ScreenTextsBuilder("nl");
        dutch.setConfirm("Bevestigen");
        ScreenTextsBuilder english = new ScreenTextsBuilder("en");
        english.setConfirm("Yes, it is me");
        ScreenTexts.supply(dutch.build(), english.build());
        try {
            assertEquals("Bevestigen", ScreenTexts.of("nl-BE").getConfirm());
            assertEquals("Deny", ScreenTexts.of("nl").getDeny());
            assertEquals("Yes, it is me", ScreenTexts.of("eo").getConfirm());
            assertEquals("Bestätigen", ScreenTexts.of(List.of("de", "nl")).getConfirm());
            assertTrue(ScreenTexts.getLanguages().contains("nl"));
        } finally {
            ScreenTexts.supply();
        }
        assertEquals("Confirm", ScreenTexts.of("nl").getConfirm());
    }
}
