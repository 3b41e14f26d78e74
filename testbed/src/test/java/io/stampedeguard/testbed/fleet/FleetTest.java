package io.stampedeguard.testbed.fleet;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FleetTest {
    private static final Duration SOON = Duration.ofMinutes(2);
    private static final MemberCommand SMALL = MemberCommand.small(FleetProgram.class, 32);

    private static Fleet start(int size) throws InterruptedException {
        return Fleet.start(size, SMALL);
    }

    @Test
    void allMembersAreReleasedAtOneInstantAndNotBefore() throws Exception {
        try (Fleet fleet = start(3)) {
            fleet.send(Message.of("await"));
            long instant = fleet.release();
            assertThat(fleet.collect("released", SOON)).hasSize(3).allSatisfy(message -> {
                assertThat(message.number("at")).isEqualTo(instant);
                assertThat(message.number("woke")).isGreaterThanOrEqualTo(instant);
            });
        }
    }

    @Test
    void anyTextTravelsBothWays() throws Exception {
        try (Fleet fleet = start(1)) {
            Message message =
                    Message.of("echo").with("text", "a b=c\n+%é\uD83D\uDC18").with("empty", "");
            fleet.send(message);
            assertThat(fleet.members().get(0).receive(SOON)).isEqualTo(message);
        }
    }

    @Test
    void directoryInFrontOfTheClassPathIsLookedIntoFirst(@TempDir Path front) throws Exception {
        String presentInEachJar = "META-INF/MANIFEST.MF";
        Files.createDirectory(front.resolve("META-INF"));
        Files.writeString(front.resolve(presentInEachJar), "in front");
        Message question = Message.of("resource").with("name", "/" + presentInEachJar);
        try (Fleet fleet = Fleet.start(1, SMALL.withInFrontOfClassPath(front))) {
            fleet.send(question);
            assertThat(fleet.members().get(0).receive(SOON).text("says")).isEqualTo("in front");
        }
    }

    @Test
    void whatElseIsSaidMeanwhileIsHandedOn() throws Exception {
        try (Fleet fleet = start(2)) {
            fleet.members().get(1).send(Message.of("progress").with("gets", 7));
            fleet.send(Message.of("done"));
            long[] heard = new long[2];
            fleet.collect("done", SOON, (member, message) -> heard[member.index()] += message.number("gets"));
            assertThat(heard).containsExactly(0, 7);
        }
    }

    @Test
    void aKilledMemberIsGoneAndTheOthersLive() throws Exception {
        try (Fleet fleet = start(2)) {
            FleetMember killed = fleet.members().get(0);
            killed.kill();
            assertThat(killed.isAlive()).isFalse();
            assertThatThrownBy(() -> killed.receive(SOON))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("member 0 (process %d) ended, exit code 137", killed.pid());

            FleetMember other = fleet.members().get(1);
            other.send(Message.of("echo"));
            assertThat(other.receive(SOON).verb()).isEqualTo("echo");
        }
    }

    @Test
    void killedMemberIsReplacedUnderItsNumber() throws Exception {
        try (Fleet fleet = start(2)) {
            FleetMember killed = fleet.members().get(1);
            killed.kill();
            assertThatThrownBy(fleet::requireAllAlive).hasMessage(killed + " ended, exit code 137");

            FleetMember next = fleet.replace(1);

            assertThat(next.index()).isEqualTo(1);
            assertThat(fleet.members()).contains(next).doesNotContain(killed);
            fleet.requireAllAlive();
            fleet.send(Message.of("echo"));
            assertThat(fleet.collect("echo", SOON)).hasSize(2);
        }
    }

    @Test
    void messagesBeforeTheAwaitedOneAreKept() throws Exception {
        try (Fleet fleet = start(1)) {
            FleetMember member = fleet.members().get(0);
            for (String verb : List.of("one", "two", "three")) {
                member.send(Message.of(verb));
            }
            assertThat(member.receive("three", SOON)).isEqualTo(Message.of("three"));
            assertThat(member.receive("two", SOON)).isEqualTo(Message.of("two"));
            assertThat(member.receive(SOON)).isEqualTo(Message.of("one"));
        }
    }

    @Test
    void workThatThrowsEndsItsMember() throws Exception {
        try (Fleet fleet = start(1)) {
            fleet.send(Message.of("fail"));
            assertThatThrownBy(() -> fleet.collect("done", SOON))
                    .hasMessageMatching(
                            ".* ended, exit code 1: Exception in thread \"[^\"]+\" java.io.IOException: so the test wants it");
        }
    }

    /** What its parent prints of a member comes from the member's log; the reason is the last thing in it. */
    @Test
    void mainThatThrowsIsNamedAndNotWhatWasLoggedBefore() throws Exception {
        try (Fleet fleet = start(1)) {
            fleet.send(Message.of("log").with("line", "[main] WARN a.B - java.io.IOException: is logged"));
            fleet.send(Message.of("throw"));
            String why = "ended, exit code 1: Exception in thread \"main\" java.io.IOException: so the test wants it";
            assertThatThrownBy(() -> fleet.collect("done", SOON)).hasMessageEndingWith(why);
            assertThatThrownBy(fleet::requireAllAlive).hasMessageEndingWith(why);
        }
    }

    @Test
    void aStoppedMemberAnswersNothingUntilItGoesOn() throws Exception {
        try (Fleet fleet = start(1)) {
            FleetMember member = fleet.members().get(0);
            member.stop();
            member.send(Message.of("echo"));
            assertThatThrownBy(() -> member.receive(Duration.ofMillis(300)))
                    .hasMessageEndingWith("sent nothing for 0 s");
            assertThat(member.isAlive()).isTrue();

            member.cont();
            assertThat(member.receive(SOON).verb()).isEqualTo("echo");
        }
    }

    @Test
    void theExitCodeOfAMemberThatEndsIsTold() throws Exception {
        try (Fleet fleet = start(1)) {
            fleet.send(Message.of("exit").with("code", 7));
            assertThatThrownBy(() -> fleet.collect("done", SOON)).hasMessageEndingWith("ended, exit code 7");
        }
    }

    @Test
    void aMemberThatDoesNotComeUpLeavesNobodyBehind() throws Exception {
        String mark = "-Dmark=ofThisTest";
        MemberCommand impossible = SMALL.withJvmOptions(mark, "-XX:NoSuchOption");
        try (Fleet up = Fleet.start(1, SMALL.withJvmOptions(mark))) {
            assertThatThrownBy(() -> Fleet.start(2, impossible))
                    .hasMessageEndingWith("ended, exit code 1: Unrecognized VM option 'NoSuchOption'");
            assertThat(ProcessHandle.current()
                            .children()
                            .filter(child ->
                                    child.info().commandLine().orElse("").contains(mark)))
                    .extracting(ProcessHandle::pid)
                    .containsExactly(up.members().get(0).pid());
        }
    }

    @Test
    void aClosedFleetIsGoneEvenWhereItWasStopped() throws Exception {
        Fleet fleet = start(2);
        fleet.members().get(1).stop();
        fleet.close();
        assertThat(fleet.members()).noneMatch(FleetMember::isAlive);
        assertThatThrownBy(() -> fleet.send(Message.of("echo"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void ctrlCInATerminalIsLeftToTheParent() throws Exception {
        try (Fleet fleet = start(1)) {
            FleetMember member = fleet.members().get(0);
            signal("INT", member.pid());
            member.send(Message.of("echo"));
            assertThat(member.receive(SOON).verb()).isEqualTo("echo");
        }
    }

    @Test
    void aMemberOfLowPriorityIsAMemberLikeAnyOther() throws Exception {
        try (Fleet fleet = Fleet.start(1, SMALL.withLowPriority())) {
            FleetMember member = fleet.members().get(0);
            int own = niceness(ProcessHandle.current().pid());
            assertThat(niceness(member.pid())).isEqualTo(Math.min(own + 10, 19));
            member.kill();
            assertThat(member.isAlive()).isFalse();
        }
    }

    private static int niceness(long pid) throws Exception {
        Process ps = new ProcessBuilder("ps", "-o", "nice=", "-p", Long.toString(pid)).start();
        return Integer.parseInt(new String(ps.getInputStream().readAllBytes()).trim());
    }

    @Test
    void whatMembersPrintIsPrintedByTheirParent() throws Exception {
        Process owner = startOwner();
        try (var errors = owner.errorReader()) {
            assertThat(errors.readLine()).isEqualTo("what a library prints is no message");
        } finally {
            owner.destroyForcibly();
        }
    }

    @Test
    void aParentThatIsKilledLeavesNoMemberBehind() throws Exception {
        assertThatMembersAreGoneAfter("KILL");
    }

    @Test
    void aParentThatIsInterruptedLeavesNoMemberBehind() throws Exception {
        assertThatMembersAreGoneAfter("INT");
    }

    private static void assertThatMembersAreGoneAfter(String signal) throws Exception {
        Process owner = startOwner();
        try (var pids = owner.inputReader()) {
            ProcessHandle first =
                    ProcessHandle.of(Long.parseLong(pids.readLine())).orElseThrow();
            ProcessHandle second =
                    ProcessHandle.of(Long.parseLong(pids.readLine())).orElseThrow();
            signal(signal, owner.pid());
            first.onExit().get(120, SECONDS);
            second.onExit().get(120, SECONDS);
            assertThat(owner.waitFor()).isEqualTo(signal.equals("KILL") ? 137 : 130);
        } finally {
            owner.destroyForcibly();
        }
    }

    private static void signal(String name, long pid) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    }

    /** Not through a fleet, whose members ignore Ctrl-C. */
    private static Process startOwner() throws Exception {
        return new ProcessBuilder(InterruptibleCommand.of(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        FleetOwner.class.getName())))
                .start();
    }
}
