package io.stampedeguard.testbed.fleet;

/** A program that starts a fleet, prints its process ids, and waits to be ended. */
final class FleetOwner {
    private FleetOwner() {}

    public static void main(String[] arguments) throws Exception {
        Fleet fleet = Fleet.start(2, MemberCommand.small(FleetProgram.class, 32));
        fleet.members().forEach(member -> System.out.println(member.pid()));
        Thread.currentThread().join();
    }
}
