/** The guard takes statements apart as the server does: no sequence of tokens that it lets through writes. */
import { run as runRequest, sql } from '../../../node-relay/drivers/mysql/test-database.ts';
import { callOf } from '../../../node-relay/drivers/test/host.ts';
import type { Lease, Session } from '../../../proto/driver.ts';
import type { MysqlRequest } from '../../../proto/kinds/mysql.ts';
import { ProofServer } from '../mysql-server.ts';
import { type Verdict, verdictOf, writingIn } from '../mysql-verdict.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { sequence } from './sequences.ts';

/** Texts between two looks at the server's state. */
const BATCH = 200;
/** Of what is refused, the server is asked about one in so many. */
const ASKED = 5;
/** One batch in so many runs in a session with a mode of its own. */
const WITH_MODE = 4;
const MODES = [
  '',
  'IGNORE_SPACE',
  'PIPES_AS_CONCAT',
  'HIGH_NOT_PRECEDENCE',
  'STRICT_ALL_TABLES,NO_ZERO_DATE',
  'ANSI_QUOTES',
  'NO_BACKSLASH_ESCAPES',
  'ANSI',
  'ORACLE',
  'MSSQL',
  'POSTGRESQL,NO_BACKSLASH_ESCAPES',
] as const;
/** Milliseconds between two sentences of progress. */
const TELL_MS = 5_000;

/** Sends a text to the gateway as a read. */
type Send = (text: string) => Promise<unknown>;

class Trial {
  readonly faults: string[] = [];
  readonly counts = { sent: 0, parsed: 0, refused: 0, asked: 0, live: 0, modes: 0 };
  readonly #server: ProofServer;
  #state: string;

  constructor(server: ProofServer, state: string) {
    this.#server = server;
    this.#state = state;
  }

  /** Sends a batch and compares what the server read and what it is now. */
  async batch(texts: readonly string[], mode: string, send: Send): Promise<void> {
    const admitted: string[] = [];
    for (const [at, text] of texts.entries()) {
      const verdict = await verdictOf(() => send(text));
      if (verdict !== 'refused') admitted.push(text);
      await this.#count(text, verdict, at);
    }
    for (const text of admitted) await this.#server.send(text);
    await this.#checkReadings(admitted, mode);
    const state = await this.#server.state();
    if (mode === '' && state !== this.#state) {
      await this.#blame(admitted);
      this.#state = await this.#server.state();
    }
  }

  async #count(text: string, verdict: Verdict, at: number): Promise<void> {
    if (verdict !== 'refused') {
      this.counts.sent += 1;
      return;
    }
    this.counts.refused += 1;
    if (at % ASKED !== 0) return;
    this.counts.asked += 1;
    if (!text.includes('\0') && (await this.#server.parses(text))) this.counts.live += 1;
  }

  async #checkReadings(texts: readonly string[], mode: string): Promise<void> {
    const readings = await this.#server.readings();
    for (const text of texts) {
      const digest = readings.get(text)?.digest;
      if (digest === undefined) continue;
      this.counts.parsed += 1;
      const writing = writingIn(digest);
      if (writing) this.faults.push(`[${mode}] ${JSON.stringify(text)} was read as ${digest}`);
    }
  }

  /** Which of them changes something. */
  async #blame(texts: readonly string[]): Promise<void> {
    let before = await this.#server.state();
    for (const text of texts) {
      await this.#server.send(text);
      const after = await this.#server.state();
      if (after !== before) {
        this.faults.push(`${JSON.stringify(text)} changed ${before} to ${after}`);
        return;
      }
      before = after;
    }
    const now = await this.#server.state();
    this.faults.push(`one of ${texts.length} texts changed, once, ${this.#state} to ${now}`);
  }
}

/** A session in a mode, held for one batch. */
async function inMode(
  write: Session<MysqlRequest>,
  mode: string,
  work: (send: Send) => Promise<void>,
): Promise<void> {
  const lease = (await write.lease?.(callOf('write'))) as Lease<MysqlRequest>; // The driver has leases.
  try {
    await runRequest(lease, sql(`SET SESSION sql_mode = '${mode}'`), 'write');
    await work((text) => lease.run(sql(text), callOf('read')));
  } finally {
    await lease.close();
  }
}

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const server = await ProofServer.start();
  try {
    const choices = new Choices(seed);
    const read = await server.database.open('read', { connections: 1 });
    const write = await server.database.open('write', { connections: 1 });
    const trial = new Trial(server, await server.state());
    let told = Date.now();
    for (let done = 0, batch = 0; done < count; done += BATCH, batch += 1) {
      const texts = Array.from({ length: Math.min(BATCH, count - done) }, () => sequence(choices));
      const mode = batch % WITH_MODE === WITH_MODE - 1 ? choices.pick(MODES) : undefined;
      if (mode === undefined) {
        await trial.batch(texts, '', (text) => read.run(sql(text), callOf('read')));
      } else {
        trial.counts.modes += texts.length;
        await server.inMode(mode, () =>
          inMode(write, mode, (send) => trial.batch(texts, mode || 'none', send)),
        );
      }
      if (Date.now() - told > TELL_MS) {
        told = Date.now();
        progress(`${done} of ${count}, ${trial.faults.length} faults`);
      }
    }
    return resultOf(trial, count);
  } finally {
    await server.stop();
  }
}

function resultOf({ faults, counts }: Trial, cases: number): ProofResult {
  const { sent, parsed, refused, asked, live, modes } = counts;
  return {
    cases,
    faults,
    figures: {
      'let through': sent,
      'let through and read by the server (percent)': percent(parsed, sent),
      refused,
      'refused that the server would read (percent, of one in five)': percent(live, asked),
      'in a session with a mode of its own': modes,
    },
  };
}

function percent(part: number, whole: number): number {
  return Math.round((100 * part) / Math.max(whole, 1));
}

export const proof: Proof = {
  promise:
    'Of generated sequences of tokens, in every quoting, comment, glue and sql_mode, none that /read lets through is read by the server as a write, and none changes anything.',
  count: 200_000,
  run,
};
