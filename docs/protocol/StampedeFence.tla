---------------------------- MODULE StampedeFence ----------------------------
(***************************************************************************)
(* Look-ups and puts by hand: one key, callers that look it up, read the   *)
(* origin, and put what they have read, bound to the fence of the look-up. *)
(* Around them, what else changes the key: loads under a lease, as in      *)
(* StampedeLease.tla, plain puts, invalidations, expiries, and the ends of *)
(* TTLs. Each action of the server is one script, and so one step.         *)
(*                                                                         *)
(* On the server, a fence and the lease are one key: the fence takes the   *)
(* place of the lease, each grant overwrites it, and each change deletes   *)
(* it. Here they are two variables, so that a mistake can keep both.       *)
(*                                                                         *)
(* StampedeFenceSpecTest has TLC prove StampedeFence.cfg, and refute each  *)
(* of broken-fences/.                                                      *)
(***************************************************************************)
EXTENDS Naturals, TLC

CONSTANTS
    Callers,      \* those who look up and put by hand
    MaxChanges,   \* how often the key changes in all, which bounds the model
    Flaw          \* "none", or the one mistake, out of Flaws, that TLC is to find

Flaws == {"no look at the fence", "absence is a fence", "expired entry is a fence", "grant leaves the fence",
          "change leaves the fence", "origin before the fence", "same fence again"}

ASSUME Flaw \in Flaws \cup {"none"}

VARIABLES
    entry,    \* on the server: what is stored
    lease,    \* on the server: the token of the load that holds the lease, or 0
    fence,    \* on the server: the token of the fence, or 0
    origin,   \* the version that the origin has now
    load,     \* the load: its token, and what it has read, or 0
    caller,   \* the callers: where each stands, and what it knows
    changes,  \* history: how often the key was changed
    floor,    \* history: the origin's version at the last invalidation
    wrong     \* history: whether a put was accepted although the key was changed since its look-up

vars == <<entry, lease, fence, origin, load, caller, changes, floor, wrong>>

NoEntry        == [token |-> 0, version |-> 0, expired |-> FALSE]
Entry(t, v)    == [token |-> t, version |-> v, expired |-> FALSE]
NoLoad         == [token |-> 0, version |-> 0]
Idle           == [at |-> "idle", seen |-> 0, ofEntry |-> FALSE, token |-> 0, version |-> 0, base |-> 0, own |-> 0]
Remembered     == {entry.token, lease, fence, load.token} \cup UNION {{caller[c].seen, caller[c].token, caller[c].own} : c \in Callers}
NewToken       == CHOOSE t \in 1..(5 + 3 * 2) : t \notin Remembered  \* unique; what nobody remembers is used again

Symmetry == Permutations(Callers)

Init ==
    /\ entry \in {NoEntry, Entry(1, 1), [Entry(1, 1) EXCEPT !.expired = TRUE]}
    /\ lease = 0 /\ fence = 0 /\ origin = 1 /\ load = NoLoad
    /\ caller = [c \in Callers |-> Idle] /\ changes = 0 /\ floor = 1 /\ wrong = FALSE

-----------------------------------------------------------------------------
(* CachedReads.lookup. *)

Fenced(c, ofEntry, t) ==
    caller' = [caller EXCEPT ![c] = [at |-> IF caller[c].version = 0 THEN "fenced" ELSE "read", seen |-> 0, ofEntry |-> ofEntry,
                                     token |-> t, version |-> caller[c].version, base |-> changes, own |-> 0]]
IsFence(e) == e.token # 0 /\ (~e.expired \/ Flaw = "expired entry is a fence")

(* A plain GET, or a copy of the near cache. An entry is its own fence, unless it was expired by hand. *)
Read(c) ==
    /\ caller[c].at = "idle"
    /\ IF IsFence(entry) \/ (entry.token = 0 /\ Flaw = "absence is a fence")
       THEN Fenced(c, TRUE, entry.token)
       ELSE caller' = [caller EXCEPT ![c].at = "asks", ![c].seen = entry.token]
    /\ UNCHANGED <<entry, lease, fence, origin, load, changes, floor, wrong>>

(* fence.lua: an unseen entry is found; a lease is no fence, nor is a seen entry that is gone; otherwise the fence that is there, *)
(* or a new one.                                                                                                                  *)
Ask(c) ==
    /\ caller[c].at = "asks"
    /\ IF entry.token # 0 /\ entry.token # caller[c].seen
       THEN /\ IF IsFence(entry)
               THEN Fenced(c, TRUE, entry.token)
               ELSE caller' = [caller EXCEPT ![c].seen = entry.token]
            /\ UNCHANGED fence
       ELSE IF lease # 0 \/ entry.token # caller[c].seen
       THEN caller' = [caller EXCEPT ![c] = Idle] /\ UNCHANGED fence
       ELSE LET t == IF fence # 0 THEN fence ELSE IF Flaw = "same fence again" THEN 99 ELSE NewToken
            IN /\ fence' = t
               /\ Fenced(c, FALSE, t)
    /\ UNCHANGED <<entry, lease, origin, load, changes, floor, wrong>>

(* The caller reads the origin after the look-up; or, by mistake, before the fence is given. *)
ReadOrigin(c) ==
    /\ IF Flaw = "origin before the fence"
       THEN caller[c].at = "asks" /\ caller[c].version = 0
       ELSE caller[c].at = "fenced"
    /\ caller' = [caller EXCEPT ![c].version = origin, ![c].at = IF @ = "fenced" THEN "read" ELSE @]
    /\ UNCHANGED <<entry, lease, fence, origin, load, changes, floor, wrong>>

-----------------------------------------------------------------------------
(* put.lua with a fence. It may arrive at any time, and a second time under the same token. *)

Passes(c) ==
    \/ Flaw = "no look at the fence"
    \/ IF caller[c].ofEntry
       THEN entry.token = caller[c].token /\ (entry.token = 0 \/ IsFence(entry))
       ELSE fence # 0 /\ fence = caller[c].token

Change(left) == entry' = left /\ lease' = 0 /\ fence' = (IF Flaw = "change leaves the fence" THEN fence ELSE 0) /\ changes' = changes + 1

Put(c) ==
    /\ caller[c].at \in {"read", "sent"} /\ changes < MaxChanges
    /\ LET t == IF caller[c].at = "sent" THEN caller[c].own ELSE NewToken
       IN /\ IF Passes(c)
             THEN Change(Entry(t, caller[c].version)) /\ wrong' = (wrong \/ changes # caller[c].base)
             ELSE UNCHANGED <<entry, lease, fence, changes, wrong>>
          /\ caller' = [caller EXCEPT ![c] = IF caller[c].at = "sent" THEN Idle ELSE [caller[c] EXCEPT !.at = "sent", !.own = t]]
    /\ UNCHANGED <<origin, load, floor>>

GiveUp(c) ==
    /\ caller[c].at # "idle"
    /\ caller' = [caller EXCEPT ![c] = Idle]
    /\ UNCHANGED <<entry, lease, fence, origin, load, changes, floor, wrong>>

-----------------------------------------------------------------------------
(* What else happens: lease.lua, publish.lua, abandon.lua, invalidate.lua, expire.lua, put.lua, and the ends of TTLs. *)

Lease ==  \* and the loader reads the origin
    /\ lease = 0 /\ lease' = NewToken /\ load' = [token |-> lease', version |-> origin]
    /\ fence' = IF Flaw = "grant leaves the fence" THEN fence ELSE 0
    /\ UNCHANGED <<entry, origin, caller, changes, floor, wrong>>

Publish ==
    /\ load.version # 0 /\ changes < MaxChanges
    /\ IF lease = load.token
       THEN entry' = Entry(lease, load.version) /\ lease' = 0 /\ changes' = changes + 1
       ELSE UNCHANGED <<entry, lease, changes>>
    /\ load' = NoLoad
    /\ UNCHANGED <<fence, origin, caller, floor, wrong>>

LeaseEnds == lease # 0 /\ lease' = 0 /\ UNCHANGED <<entry, fence, origin, load, caller, changes, floor, wrong>>
FenceEnds == fence # 0 /\ fence' = 0 /\ UNCHANGED <<entry, lease, origin, load, caller, changes, floor, wrong>>
EntryEnds == entry # NoEntry /\ entry' = NoEntry /\ UNCHANGED <<lease, fence, origin, load, caller, changes, floor, wrong>>

Update     == origin < 2 /\ origin' = origin + 1 /\ UNCHANGED <<entry, lease, fence, load, caller, changes, floor, wrong>>
Invalidate == changes < MaxChanges /\ Change(NoEntry) /\ floor' = origin /\ UNCHANGED <<origin, load, caller, wrong>>
Expire     == changes < MaxChanges /\ Change([entry EXCEPT !.expired = @ \/ entry.token # 0]) /\ UNCHANGED <<origin, load, caller, floor, wrong>>
PlainPut   == changes < MaxChanges /\ Change(Entry(NewToken, origin)) /\ UNCHANGED <<origin, load, caller, floor, wrong>>

Next == \/ \E c \in Callers : Read(c) \/ Ask(c) \/ ReadOrigin(c) \/ Put(c) \/ GiveUp(c)
        \/ Lease \/ Publish \/ LeaseEnds \/ FenceEnds \/ EntryEnds
        \/ Update \/ Invalidate \/ Expire \/ PlainPut

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* A put is accepted only if the key was not changed since its look-up, also if it is as it was before. *)
Unchanged == ~wrong

(* P2: what is stored is not older than what the origin had at the last invalidation. *)
P2_NothingOlder == entry.token # 0 => entry.version >= floor

=============================================================================
