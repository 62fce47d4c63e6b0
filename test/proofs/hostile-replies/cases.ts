/** One case: a hostile server, the call that meets it, and the outcome. */
import { Choices } from '../random.ts';
import { faultOf } from './judge.ts';
import type { HostileKind, RealServer, Turn } from './kind.ts';
import { type Floods, type Hostile, mutate, unchanged } from './mutate.ts';
import { startPlayer } from './player.ts';
import type { Recording } from './record.ts';
import type { Answer, TestedRelay } from './relay.ts';

/** Of each call, in milliseconds; on a busy machine so many times what a call takes alone. */
const DEADLINE_MS = 1_000;
const DEADLINE_CALLS = 60;
/** An endless reply ends after so many bytes: the small ones after what a call may answer, four times over. */
const FLOODS: Floods = { usual: 4 * 1024 * 1024, large: 192 * 1024 * 1024 };
/** Of so many cases one is not changed: it shows that the player plays. */
const UNCHANGED_OF = 40;

/** A kind with all that was recorded of it. */
export interface Recorded {
  readonly kind: HostileKind;
  readonly server: RealServer;
  readonly recordings: readonly Recording[];
}

/** What a case came to. */
export interface Outcome {
  readonly stage: Turn['stage'];
  /** What the call answered: `real`, `other`, or a code. */
  readonly answer: string;
  /** Whether the changed reply was asked for. */
  readonly asked: boolean;
  readonly fault?: string;
}

/** Runs a case; the same seed and number make the same one. */
export async function runCase(
  recorded: Recorded,
  relay: TestedRelay,
  seed: number,
  at: number,
): Promise<Outcome> {
  const { kind, server } = recorded;
  const choices = new Choices(seed * 1_000_003 + at);
  const recording = choices.pickAny(recorded.recordings);
  if (recording === undefined) throw new Error('Nothing was recorded');
  const { call, connections, answer: real } = recording;
  const turn = pickTurn(choices, connections.flat());
  const others = connections.flat().flatMap(({ reply }) => reply);
  let hostile: Hostile | undefined;
  const isSame = at % UNCHANGED_OF === 0;
  const player = await startPlayer({
    framing: kind.framing,
    connections,
    changed: {
      turn,
      hostile: (reply) => {
        const source = { reply, others, framing: kind.framing, floods: FLOODS };
        // Asked again, it is changed as before.
        hostile = isSame ? unchanged(source) : mutate(new Choices(seed * 7_919 + at), source);
        return hostile;
      },
    },
  });
  const endpoint = await relay.endpoint(kind.kind, {
    connection: server.connection('127.0.0.1', player.port),
    settings: server.settings ?? {},
  });
  try {
    const answer = await endpoint.call(call, deadlineOf(recorded));
    const made = hostile ?? unchanged({ reply: [] });
    const fault = faultOf(kind, call, real, made, answer);
    return {
      stage: turn.stage,
      answer: answerOf(answer, real),
      asked: player.wasAsked,
      ...(fault
        ? { fault: `case ${at}, ${call.name}, ${turn.stage}: ${made.name}: ${fault}` }
        : {}),
    };
  } finally {
    player.stop();
    await endpoint.release();
  }
}

function deadlineOf({ recordings }: Recorded): number {
  const slowest = Math.max(...recordings.map(({ took }) => took));
  return Math.round(Math.max(DEADLINE_MS, DEADLINE_CALLS * slowest));
}

/** Each stage as often as the others. */
function pickTurn(choices: Choices, all: readonly Turn[]): Turn {
  const answered = all.filter(({ reply }) => reply.length > 0);
  const stage = choices.pickAny([...new Set(answered.map((turn) => turn.stage))]);
  const turn = choices.pickAny(answered.filter((each) => each.stage === stage));
  if (turn === undefined) throw new Error('The server has answered nothing');
  return turn;
}

function answerOf({ failure, text }: Answer, real: Answer): string {
  if (failure !== undefined) return failure;
  return text === real.text ? 'real' : 'other';
}
