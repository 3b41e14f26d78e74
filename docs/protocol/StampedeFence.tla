---------------------------- MODULE StampedeFence ----------------------------
(***************************************************************************)
(* Look-ups and puts by hand: one key, callers that look it up, read the   *)
(* origin, and put what they have read, bound to the fence of the look-up. *)
(* Around them, what else changes the key: loads under a lease, as in      *)
(* StampedeLease.tla, plain puts, invalidations, also of all entries, as   *)
(* in StampedeClear.tla, expiries, and the ends of TTLs. Each action of    *)
(* the server is one script, and so one step.                              *)
(*                                                                         *)
(* On the server, a fence and the lease are one key: the fence takes the   *)
(* place of the lease, each grant overwrites it, and each change deletes   *)
(* it. Here they are two variables, so that a mistake can keep both.       *)
(*                                                                         *)
(* StampedeFenceSpecTest has TLC prove StampedeFence.cfg, FenceClear.cfg,  *)
(* and FenceCluster.cfg, and refute each of broken-fences/.                *)
(***************************************************************************)
EXTENDS Naturals, TLC

CONSTANTS
    Callers,      \* those who look up and put by hand
    MaxChanges,   \* how often the key changes in all, which bounds the model
    MaxClears,    \* how often all entries are invalidated, out of these
    Cluster,      \* whether scripts and reads do not see the generation
    Flaw          \* "none", or the one mistake, out of Flaws, that TLC is to find

Flaws == {"no look at the fence", "absence is a fence", "expired entry is a fence", "grant leaves the fence",
          "change leaves the fence", "origin before the fence", "same fence again", "void entry is a fence",
          "void fence is a fence", "stamped when put"}

ASSUME Flaw \in Flaws \cup {"none"}

VARIABLES
    entry,    \* on the server: what is stored
    lease,    \* on the server: the token of the load that holds the lease, or 0
    fence,    \* on the server: the token of the fence, or 0
    origin,   \* the version that the origin has now
    load,     \* the load: its token, and what it has read, or 0
    caller,   \* the callers: where each stands, and what it knows
    gen,      \* on the server: the generation, which each change of all entries raises
    known,    \* the generation that the process of each caller knows
    changes,  \* history: how often the key was changed
    floor,    \* history: the origin's version at the last invalidation
    wrong     \* history: whether a put was accepted although the key was changed since its look-up

vars == <<entry, lease, fence, origin, load, caller, gen, known, changes, floor, wrong>>

NoEntry        == [token |-> 0, version |-> 0, expired |-> FALSE, stamp |-> 0]
Entry(t, v, s) == [token |-> t, version |-> v, expired |-> FALSE, stamp |-> s]
NoFence        == [token |-> 0, stamp |-> 0]
NoLoad         == [token |-> 0, version |-> 0, stamp |-> 0]
Idle           == [at |-> "idle", seen |-> 0, ofEntry |-> FALSE, token |-> 0, stamp |-> 0, version |-> 0, base |-> 0, own |-> 0]
Remembered     == {entry.token, lease, fence.token, load.token} \cup UNION {{caller[c].seen, caller[c].token, caller[c].own} : c \in Callers}
NewToken       == CHOOSE t \in 1..(5 + 3 * 2) : t \notin Remembered  \* unique; what nobody remembers is used again

Symmetry == Permutations(Callers)

Max(a, b) == IF a > b THEN a ELSE b
Stamps    == IF Cluster THEN 0..gen ELSE {gen}  \* of what another process stores: it may not know the generation yet

Init ==
    /\ entry \in {NoEntry, Entry(1, 1, 0), [Entry(1, 1, 0) EXCEPT !.expired = TRUE]}
    /\ lease = 0 /\ fence = NoFence /\ origin = 1 /\ load = NoLoad
    /\ caller = [c \in Callers |-> Idle] /\ gen = 0 /\ known = [c \in Callers |-> 0] /\ changes = 0 /\ floor = 1 /\ wrong = FALSE

-----------------------------------------------------------------------------
(* ReadPath.lookup. *)

Fenced(c, ofEntry, t, s) ==
    caller' = [caller EXCEPT ![c] = [at |-> IF caller[c].version = 0 THEN "fenced" ELSE "read", seen |-> 0, ofEntry |-> ofEntry,
                                     token |-> t, stamp |-> s, version |-> caller[c].version, base |-> changes, own |-> 0]]
IsFence(e) == e.token # 0 /\ (~e.expired \/ Flaw = "expired entry is a fence")

(* Marks: but on a cluster, an answer with an entry has the generation. Known ones void entries before they are judged. *)
Answered(c) == IF Cluster THEN known[c] ELSE gen
Learned(c)  == known' = [known EXCEPT ![c] = Answered(c)]
Judged(c)   == IsFence(entry) /\ entry.stamp >= Answered(c)

(* An MGET, or a copy of the near cache. An entry is its own fence, unless it was expired by hand. *)
Read(c) ==
    /\ caller[c].at = "idle"
    /\ IF Judged(c) \/ (entry.token = 0 /\ Flaw = "absence is a fence")
       THEN Fenced(c, TRUE, entry.token, Max(entry.stamp, known[c]))
       ELSE caller' = [caller EXCEPT ![c].at = "asks", ![c].seen = entry.token]
    /\ Learned(c)
    /\ UNCHANGED <<entry, lease, fence, origin, load, gen, changes, floor, wrong>>

(* fence.lua: an unseen entry is found; a lease is no fence, nor is a seen entry that is gone; otherwise the fence that is there, *)
(* unless it is from before the last change of all entries, or a new one.                                                         *)
Ask(c) ==
    /\ caller[c].at = "asks"
    /\ IF entry.token # 0 /\ entry.token # caller[c].seen
       THEN /\ IF Judged(c)
               THEN Fenced(c, TRUE, entry.token, Max(entry.stamp, known[c]))
               ELSE caller' = [caller EXCEPT ![c].seen = entry.token]
            /\ Learned(c)
            /\ UNCHANGED fence
       ELSE /\ IF lease # 0 \/ entry.token # caller[c].seen
               THEN caller' = [caller EXCEPT ![c] = Idle] /\ UNCHANGED fence
               ELSE LET isThere == fence.token # 0 /\ (Cluster \/ fence.stamp >= gen)
                        t == IF isThere THEN fence.token ELSE IF Flaw = "same fence again" THEN 99 ELSE NewToken
                    IN /\ fence' = [token |-> t, stamp |-> gen]
                       /\ Fenced(c, FALSE, t, known[c])
            /\ UNCHANGED known
    /\ UNCHANGED <<entry, lease, origin, load, gen, changes, floor, wrong>>

(* A read of another key, or, on a cluster, the question that is asked again and again. *)
Learn(c) ==
    /\ known[c] < gen
    /\ known' = [known EXCEPT ![c] = gen]
    /\ UNCHANGED <<entry, lease, fence, origin, load, caller, gen, changes, floor, wrong>>

(* The caller reads the origin after the look-up; or, by mistake, before the fence is given. *)
ReadOrigin(c) ==
    /\ IF Flaw = "origin before the fence"
       THEN caller[c].at = "asks" /\ caller[c].version = 0
       ELSE caller[c].at = "fenced"
    /\ caller' = [caller EXCEPT ![c].version = origin, ![c].at = IF @ = "fenced" THEN "read" ELSE @]
    /\ UNCHANGED <<entry, lease, fence, origin, load, gen, known, changes, floor, wrong>>

-----------------------------------------------------------------------------
(* WritePath does not send it if its process knows of a change of all entries since the look-up. put.lua with a fence: it may *)
(* arrive at any time, and a second time under the same token. What is stored has the stamp of the look-up or, but on a       *)
(* cluster, the generation.                                                                                                   *)

Passes(c) ==
    \/ Flaw = "no look at the fence"
    \/ IF caller[c].ofEntry
       THEN /\ entry.token = caller[c].token /\ (entry.token = 0 \/ IsFence(entry))
            /\ Cluster \/ entry.stamp >= gen \/ Flaw = "void entry is a fence"
       ELSE /\ fence.token # 0 /\ fence.token = caller[c].token
            /\ Cluster \/ fence.stamp >= gen \/ Flaw = "void fence is a fence"
IsSent(c) == caller[c].at = "sent" \/ known[c] <= caller[c].stamp \/ Flaw = "stamped when put"
Stamp(c)  == IF ~Cluster THEN gen ELSE IF Flaw = "stamped when put" THEN known[c] ELSE caller[c].stamp

Change(left) == entry' = left /\ lease' = 0 /\ changes' = changes + 1
                /\ fence' = (IF Flaw = "change leaves the fence" THEN fence ELSE NoFence)

Put(c) ==
    /\ caller[c].at \in {"read", "sent"} /\ changes < MaxChanges
    /\ LET t == IF caller[c].at = "sent" THEN caller[c].own ELSE NewToken
       IN /\ IF IsSent(c) /\ Passes(c)
             THEN Change(Entry(t, caller[c].version, Stamp(c))) /\ wrong' = (wrong \/ (changes # caller[c].base /\ Stamp(c) >= gen))
             ELSE UNCHANGED <<entry, lease, fence, changes, wrong>>
          /\ caller' = [caller EXCEPT ![c] = IF caller[c].at = "sent" \/ ~IsSent(c) THEN Idle
                                             ELSE [caller[c] EXCEPT !.at = "sent", !.own = t]]
    /\ UNCHANGED <<origin, load, gen, known, floor>>

GiveUp(c) ==
    /\ caller[c].at # "idle"
    /\ caller' = [caller EXCEPT ![c] = Idle]
    /\ UNCHANGED <<entry, lease, fence, origin, load, gen, known, changes, floor, wrong>>

-----------------------------------------------------------------------------
(* What else happens: lease.lua, publish.lua, abandon.lua, invalidate.lua, expire.lua, put.lua, mark.lua, and the ends of TTLs. *)

Lease ==  \* and the loader reads the origin
    /\ lease = 0 /\ lease' = NewToken
    /\ \E s \in Stamps : load' = [token |-> lease', version |-> origin, stamp |-> s]
    /\ fence' = IF Flaw = "grant leaves the fence" THEN fence ELSE NoFence
    /\ UNCHANGED <<entry, origin, caller, gen, known, changes, floor, wrong>>

Publish ==
    /\ load.version # 0 /\ changes < MaxChanges
    /\ IF lease = load.token /\ (Cluster \/ load.stamp >= gen)
       THEN entry' = Entry(lease, load.version, load.stamp) /\ lease' = 0 /\ changes' = changes + 1
       ELSE /\ lease' = IF lease = load.token THEN 0 ELSE lease
            /\ UNCHANGED <<entry, changes>>
    /\ load' = NoLoad
    /\ UNCHANGED <<fence, origin, caller, gen, known, floor, wrong>>

LeaseEnds == lease # 0 /\ lease' = 0 /\ UNCHANGED <<entry, fence, origin, load, caller, gen, known, changes, floor, wrong>>
FenceEnds == fence # NoFence /\ fence' = NoFence /\ UNCHANGED <<entry, lease, origin, load, caller, gen, known, changes, floor, wrong>>
EntryEnds == entry # NoEntry /\ entry' = NoEntry /\ UNCHANGED <<lease, fence, origin, load, caller, gen, known, changes, floor, wrong>>

Update     == origin < 2 /\ origin' = origin + 1 /\ UNCHANGED <<entry, lease, fence, load, caller, gen, known, changes, floor, wrong>>
Invalidate == changes < MaxChanges /\ Change(NoEntry) /\ floor' = origin /\ UNCHANGED <<origin, load, caller, gen, known, wrong>>
Expire     == /\ changes < MaxChanges /\ Change([entry EXCEPT !.expired = @ \/ entry.token # 0])
              /\ UNCHANGED <<origin, load, caller, gen, known, floor, wrong>>
PlainPut   == /\ changes < MaxChanges /\ \E s \in Stamps : Change(Entry(NewToken, origin, s))
              /\ UNCHANGED <<origin, load, caller, gen, known, floor, wrong>>

(* invalidateAll of any process changes nothing but the generation. *)
InvalidateAll ==
    /\ changes < MaxChanges /\ gen < MaxClears
    /\ gen' = gen + 1 /\ changes' = changes + 1 /\ floor' = origin
    /\ UNCHANGED <<entry, lease, fence, origin, load, caller, known, wrong>>

Next == \/ \E c \in Callers : Read(c) \/ Ask(c) \/ Learn(c) \/ ReadOrigin(c) \/ Put(c) \/ GiveUp(c)
        \/ Lease \/ Publish \/ LeaseEnds \/ FenceEnds \/ EntryEnds
        \/ Update \/ Invalidate \/ Expire \/ PlainPut \/ InvalidateAll

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* A put is accepted only if the key was not changed since its look-up, also if it is as it was before; or what it stores is *)
(* void.                                                                                                                      *)
Unchanged == ~wrong

(* P2: what is stored, and not void, is not older than what the origin had at the last invalidation. *)
P2_NothingOlder == entry.token # 0 /\ entry.stamp >= gen => entry.version >= floor

=============================================================================
