--------------------------- MODULE StampedeSnapshot ---------------------------
(***************************************************************************)
(* Loads that read an older snapshot of the origin: one key, callers whose *)
(* transactions may have begun before they call get, and changes of the    *)
(* key. A lease that is granted after a change says nothing about such a   *)
(* load. Its value states as of when it was read, and each change leaves   *)
(* its time, for a while. Each action of the server is one script, and so  *)
(* one step; its clock is that of the model.                               *)
(*                                                                         *)
(* StampedeSnapshotSpecTest has TLC prove StampedeSnapshot.cfg, and refute *)
(* each of broken-snapshots/.                                              *)
(***************************************************************************)
EXTENDS Naturals, TLC

CONSTANTS
    Callers,     \* of one process: one leads, others join its flight
    MaxTime,     \* how far the clock goes, which bounds the model
    Memory,      \* changeMemory: for how long a change leaves its time
    Flaw         \* "none", or the one mistake, out of Flaws, that TLC is to find

Flaws == {"mark not checked", "early callers answered", "mark in place of the lease", "same time is younger",
          "older than the memory", "clock ahead", "generation not compared", "put leaves no mark"}

ASSUME Flaw \in Flaws \cup {"none"}

VARIABLES
    now,      \* the server's clock
    origin,   \* the version that the origin has now
    entry,    \* on the server: the version that is stored, or 0
    lease,    \* on the server: the caller whose load holds the lease, or "nobody"
    mark,     \* on the server: {key}:changed, the time of the last change, or Never
    gen,      \* on the server: the generation, as of the last change of all entries
    leader,   \* in the process: the caller who leads the flight, or "nobody"
    caller,   \* the callers: where each stands, and what it knows
    floor,    \* history: the origin's version at the last change
    wrong     \* history: whether a caller was answered with what is older than the last change before its call

vars == <<now, origin, entry, lease, mark, gen, leader, caller, floor, wrong>>

Symmetry == Permutations(Callers)

Nobody == "nobody"
Never  == 1000
Idle   == [at |-> "idle", asOf |-> 0, version |-> 0, base |-> 0]

Init ==
    /\ now = 1 /\ origin = 1 /\ entry \in {0, 1} /\ lease = Nobody /\ mark = Never /\ gen = 0
    /\ leader = Nobody /\ caller = [c \in Callers |-> Idle] /\ floor = 1 /\ wrong = FALSE

-----------------------------------------------------------------------------
(* Callers. One may begin a transaction long before its call: from then on it reads the origin as it was. It reads the clock    *)
(* before, and converts that to the server's clock less its uncertainty: never later than the true time.                        *)

AsOf == IF Flaw = "clock ahead" THEN {now, now + 1} ELSE {now - 1, now}

Begin(c) ==
    /\ caller[c].at = "idle"
    /\ \E t \in AsOf : caller' = [caller EXCEPT ![c] = [Idle EXCEPT !.at = "begun", !.asOf = t, !.version = origin]]
    /\ UNCHANGED <<now, origin, entry, lease, mark, gen, leader, floor, wrong>>

(* get: a hit, or the flight of another caller, or one of its own. An entry may be stale, and so leads to a load, too.           *)
Get(c) ==
    /\ caller[c].at = "begun"
    /\ \/ /\ entry # 0
          /\ wrong' = (wrong \/ entry < floor)
          /\ caller' = [caller EXCEPT ![c] = Idle]
          /\ UNCHANGED leader
       \/ /\ leader = Nobody
          /\ leader' = c
          /\ caller' = [caller EXCEPT ![c].at = "leads", ![c].base = floor]
          /\ UNCHANGED wrong
       \/ /\ leader # Nobody
          /\ caller' = [caller EXCEPT ![c].at = IF caller[leader].at = "leads" THEN "early" ELSE "late", ![c].base = floor]
          /\ UNCHANGED <<leader, wrong>>
    /\ UNCHANGED <<now, origin, entry, lease, mark, gen, floor>>

(* lease.lua. The lease takes the place of nothing but a lease; by mistake, also that of the mark. *)
Lease(c) ==
    /\ caller[c].at = "leads" /\ lease = Nobody
    /\ lease' = c /\ caller' = [caller EXCEPT ![c].at = "loads"]
    /\ mark' = IF Flaw = "mark in place of the lease" THEN Never ELSE mark
    /\ UNCHANGED <<now, origin, entry, gen, leader, floor, wrong>>

Latest(a, b) == IF a > b THEN a ELSE b

IsTooOld(c) ==
    /\ Flaw # "mark not checked"
    /\ \/ mark # Never /\ (IF Flaw = "same time is younger" THEN caller[c].asOf < mark ELSE caller[c].asOf <= mark)
       \/ Flaw # "generation not compared" /\ caller[c].asOf <= gen
       \/ Flaw # "older than the memory" /\ caller[c].asOf + Memory <= now

(* The flight ends: whom its value answers. Others begin again. Its own caller gets it in any case: its transaction is as old.   *)
End(c, answered) ==
    /\ leader' = Nobody
    /\ wrong' = (wrong \/ \E d \in Callers : caller[d].at \in answered /\ caller[c].version < caller[d].base)
    /\ caller' = [d \in Callers |-> IF d = c \/ caller[d].at \in answered THEN Idle
                                    ELSE IF caller[d].at \in {"early", "late"} THEN [caller[d] EXCEPT !.at = "begun"]
                                    ELSE caller[d]]

(* publish.lua, then Publisher.complete. *)
Publish(c) ==
    /\ caller[c].at = "loads"
    /\ IF lease # c \/ IsTooOld(c)
       THEN /\ lease' = IF lease = c THEN Nobody ELSE lease
            /\ End(c, IF Flaw = "early callers answered" THEN {"early"} ELSE {})
            /\ UNCHANGED entry
       ELSE lease' = Nobody /\ entry' = caller[c].version /\ End(c, {"early", "late"})
    /\ UNCHANGED <<now, origin, mark, gen, floor>>

-----------------------------------------------------------------------------
(* Changes: the origin is changed, committed, and then the key is. *)

Update == origin < 3 /\ origin' = origin + 1 /\ UNCHANGED <<now, entry, lease, mark, gen, leader, caller, floor, wrong>>

Change(left, leavesMark) ==  \* invalidate.lua, put.lua, with changed.lua; expire.lua is as the first of them
    /\ entry' = left /\ lease' = Nobody /\ floor' = origin
    /\ mark' = IF leavesMark THEN now ELSE mark
    /\ UNCHANGED <<now, origin, gen, leader, caller, wrong>>

Invalidate == floor < origin /\ Change(0, TRUE)
Put        == floor < origin /\ Change(origin, Flaw # "put leaves no mark")

InvalidateAll ==  \* mark.lua
    /\ floor < origin /\ gen' = Latest(gen + 1, now)
    /\ entry' = 0 /\ lease' = Nobody /\ floor' = origin
    /\ UNCHANGED <<now, origin, mark, leader, caller, wrong>>

Tick ==
    /\ now < MaxTime /\ now' = now + 1
    /\ mark' = IF mark # Never /\ mark + Memory <= now' THEN Never ELSE mark
    /\ UNCHANGED <<origin, entry, lease, gen, leader, caller, floor, wrong>>

LeaseEnds == lease # Nobody /\ lease' = Nobody /\ UNCHANGED <<now, origin, entry, mark, gen, leader, caller, floor, wrong>>
EntryEnds == entry # 0 /\ entry' = 0 /\ UNCHANGED <<now, origin, lease, mark, gen, leader, caller, floor, wrong>>

Next == \/ \E c \in Callers : Begin(c) \/ Get(c) \/ Lease(c) \/ Publish(c)
        \/ Update \/ Invalidate \/ Put \/ InvalidateAll
        \/ Tick \/ LeaseEnds \/ EntryEnds

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* P2: nobody gets from another caller what is older than the last change before its call. *)
P2_NothingOlder == ~wrong

(* What is stored is not older than the last change. *)
P2_NothingOlderStored == entry # 0 => entry >= floor

=============================================================================
