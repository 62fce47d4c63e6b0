/** Whatever a backend answers that the edge itself reaches, its call fails as the table of errors says, and no more is read than it takes. */
import { GatewayError } from '../../../proto/errors.ts';
import { mutate } from '../hostile-replies/mutate.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { type Played, playing, type Recorded, recording, type Traffic } from './network.ts';
import { OwnTime } from './own-time.ts';
import type { Vendor, VendorCall, VendorServer } from './vendor.ts';
import { VENDORS } from './vendors/index.ts';

/** Of each call, in milliseconds. */
const DEADLINE_MS = 1_000;
const RECORDED_MS = 30_000;
/** Most wait for their deadline. */
const AT_ONCE = 32;
/** Bytes of a result; and of all bodies, with the answers to what a driver asks for itself. */
const RESULT_MAX = 262_144;
const TAKEN_MAX = 12 * 1_048_576;
const FLOODS = { usual: 8 * 1_048_576, large: 64 * 1_048_576 };
const STATUSES = [200, 204, 301, 400, 401, 403, 404, 413, 429, 500, 502, 503, 507, 522, 599];

/** As `hostile-replies` has it, with what a vendor refuses and what a server must be set to. */
const TOLD = new Set([
  ...['CONNECTION_FAILED', 'OUTCOME_UNKNOWN', 'TIMED_OUT', 'RESULT_TOO_LARGE', 'REQUEST_FAILED'],
  ...['CONSTRAINT_VIOLATED', 'SERVICE_UNAVAILABLE', 'BAD_REQUEST', 'NOT_SUPPORTED'],
  ...['PAYLOAD_TOO_LARGE', 'ADDRESS_REFUSED', 'INVALID_CONFIGURATION'],
]);

/** `count` hostile replies of each vendor; `--kind` names one. */
export const proof: Proof = {
  promise: 'Whatever a backend answers to the edge, its call fails as the table of errors says.',
  count: 20_000,
  async run(options) {
    const results: ProofResult[] = [];
    for (const vendor of VENDORS) {
      if (options.kind !== undefined && options.kind !== vendor.name) continue;
      results.push(await runVendor(vendor, options));
    }
    return {
      cases: results.reduce((sum, { cases }) => sum + cases, 0),
      faults: results.flatMap(({ faults }) => faults),
      figures: Object.assign({}, ...results.map(({ figures }) => figures)),
    };
  },
};

interface Tape {
  readonly call: VendorCall;
  readonly replies: readonly Recorded[];
}

async function runVendor(vendor: Vendor, options: ProofOptions): Promise<ProofResult> {
  const { seed, count, progress } = options;
  const server = await vendor.start();
  using time = new OwnTime();
  const faults: string[] = [];
  const figures: Record<string, number> = {};
  try {
    const tapes: Tape[] = [];
    for (const call of vendor.calls) tapes.push(await record(vendor, server, call));
    let next = 0;
    const worker = async () => {
      while (next < count) {
        const at = next;
        next += 1;
        const choices = new Choices(seed * 1_000_003 + at);
        const tape = choices.pickAny(tapes);
        if (tape === undefined) throw new Error('Nothing was recorded');
        const { outcome, fault } = await runCase(vendor, server, tape, { choices, time });
        const figure = `${vendor.name}: ${outcome}`;
        figures[figure] = (figures[figure] ?? 0) + 1;
        if (fault) {
          const told = `${vendor.name}, case ${at}, ${tape.call.name}: ${fault}`;
          faults.push(told);
          progress(told);
        }
        if (at % 1_000 === 999) progress(`${vendor.name}: ${at + 1} hostile replies`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    await server.stop();
  }
  return { cases: count, faults, figures };
}

async function record(vendor: Vendor, server: VendorServer, call: VendorCall): Promise<Tape> {
  const replies: Recorded[] = [];
  const { connection, settings = {} } = server;
  const session = vendor.driver.open({ connection, settings }, recording(replies));
  await session.run(call.request as never, callOf(call, RECORDED_MS)); // As its kind's schema has it.
  return { call, replies };
}

function callOf({ mode }: VendorCall, timeoutMs: number) {
  const signal = AbortSignal.timeout(timeoutMs);
  return { mode, signal, resultMaxBytes: RESULT_MAX, numbersAsStrings: false, inPieces: undefined };
}

async function runCase(
  vendor: Vendor,
  { connection, settings = {} }: VendorServer,
  { call, replies }: Tape,
  { choices, time }: { readonly choices: Choices; readonly time: OwnTime },
): Promise<{ outcome: string; fault?: string }> {
  const changed = Math.floor(choices.next() * replies.length);
  const names: string[] = [];
  const played = replies.map((reply, at): Played => {
    if (at !== changed) return { ...reply, steps: [{ send: reply.body }] };
    const { name, ...hostile } = hostileOf(reply, replies, choices);
    names.push(`reply ${at} of ${replies.length}: ${name}`);
    return hostile;
  });
  const traffic: Traffic = { trips: 0, taken: 0 };
  const bounds = callOf(call, DEADLINE_MS);
  // A request's own signal is lost with the request.
  const session = vendor.driver.open(
    { connection, settings },
    playing(played, traffic, bounds.signal),
  );
  const began = time.ms;
  const { outcome, fault } = await outcomeOf(
    session.run(call.request as never, bounds), // As above.
  );
  const ms = time.ms - began;
  const broken =
    fault ??
    (traffic.taken > TAKEN_MAX ? `${traffic.taken} bytes were taken` : undefined) ??
    (ms > 10 * DEADLINE_MS ? `it took ${Math.round(ms)} ms` : undefined);
  return broken ? { outcome, fault: `${names.join()}: ${broken}` } : { outcome };
}

function hostileOf(
  { status, headers, body }: Recorded,
  replies: readonly Recorded[],
  choices: Choices,
): Played & { readonly name: string } {
  const otherStatus = choices.chance(0.1) ? choices.pickAny(STATUSES) : undefined;
  const reply = linesOf(body);
  const others = replies.flatMap((each) => linesOf(each.body));
  const { name, steps } = mutate(choices, { reply, others, framing: {}, floods: FLOODS });
  return {
    name: otherStatus === undefined ? name : `status ${otherStatus}; ${name}`,
    status: otherStatus ?? status,
    headers,
    // A body has an end, which no step says.
    steps,
  };
}

/** Pieces at which JSON is likely to be of another kind. */
function linesOf(body: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const end = body.indexOf(',', at) + 1 || body.length;
    pieces.push(body.subarray(at, end));
    at = end;
  }
  return pieces.length === 0 ? [Buffer.from(' ')] : pieces;
}

async function outcomeOf(
  running: Promise<Uint8Array>,
): Promise<{ outcome: string; fault?: string }> {
  try {
    const text = Buffer.from(await running).toString();
    if (Buffer.byteLength(text) > RESULT_MAX) return { outcome: 'result', fault: 'too large' };
    try {
      JSON.parse(text);
    } catch {
      return { outcome: 'result', fault: `no JSON: ${text.slice(0, 300)}` };
    }
    return { outcome: 'result' };
  } catch (thrown) {
    if (thrown instanceof GatewayError && TOLD.has(thrown.code)) return { outcome: thrown.code };
    const told = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return { outcome: 'another failure', fault: told.slice(0, 600) };
  }
}
