/** Proves that a read of ClickHouse's calls only what computes, however that is written. */

import { type ClickhouseClient, clickhouse } from '../../../node-relay/drivers/clickhouse/index.ts';
import { callOf, openClient } from '../../../node-relay/drivers/test/host.ts';
import { GatewayError } from '../../../proto/errors.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { ask, Engine, SIGN } from './engine.ts';
import { FILE_PLACES, PLACES, TABLE_PLACES } from './positions.ts';
import { Random } from './random.ts';
import { gap, inQuotes, spelled } from './spellings.ts';
import { functionsOf, leavingTables, STAYING_TABLES, type Subject } from './subjects.ts';
import { textCase } from './texts.ts';

const PROGRESS_EVERY = 5_000;

/** Every function and table function of the engine × place × spelling, and texts in every argument. */
export const proof: Proof = {
  promise:
    'A read of ClickHouse calls nothing that is not known to compute only, by any notation, and all that is; nothing is left behind.',
  count: 60_000,
  async run(options: ProofOptions): Promise<ProofResult> {
    const engine = await Engine.start();
    try {
      return await new Run(engine, options).run();
    } finally {
      await engine.stop();
    }
  },
};

type Outcome = 'refused' | 'sent';

class Run {
  readonly #engine: Engine;
  readonly #options: ProofOptions;
  readonly #random: Random;
  readonly #faults: string[] = [];
  readonly #figures: Record<string, number> = {};

  constructor(engine: Engine, options: ProofOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<ProofResult> {
    const functions = await functionsOf(this.#engine);
    const leaving = await leavingTables(this.#engine);
    await this.#hasTeeth();
    const before = await this.#engine.digest();
    const connection = { url: `${this.#engine.url}?ch_max_threads=1` };
    const session = await openClient(clickhouse, { connection, mode: 'read' });
    let cases = 0;
    for (; cases < this.#options.count; cases += 1) {
      if (cases % PROGRESS_EVERY === 0) this.#options.progress(`${cases} cases`);
      await this.#turn(session, cases, functions, leaving);
    }
    await session.close();
    const after = await this.#engine.digest();
    for (const what of new Set([...before.keys(), ...after.keys()])) {
      if (before.get(what) === after.get(what)) continue;
      this.#faults.push(`Left behind: ${what}: ${before.get(what)} is ${after.get(what)}`);
    }
    return { cases, faults: this.#faults, figures: this.#figures };
  }

  /** Every kind of case in its turn. */
  async #turn(
    session: ClickhouseClient,
    cases: number,
    functions: readonly Subject[],
    leaving: readonly Subject[],
  ): Promise<void> {
    const turn = cases % 10;
    const harmful = functions.filter(({ harmless }) => !harmless);
    if (turn === 0) await this.#call(session, this.#random.of(harmful));
    else if (turn < 6) await this.#call(session, at(functions, cases));
    else if (turn === 6) await this.#leaving(session, this.#random.of(leaving));
    else if (turn === 7) await this.#staying(session);
    else if (turn === 8 && this.#random.oneIn(3)) await this.#file(session);
    else if (turn === 8) await this.#trap(session);
    else await this.#text(session, functions);
  }

  /** What the cases try works on the engine itself: else nothing is proven by its absence. */
  async #hasTeeth(): Promise<void> {
    const { url, file, port } = this.#engine;
    const read = await ask(url, `SELECT file('${file}')`, '&readonly=1');
    if (read.text !== `${SIGN}\n`)
      this.#faults.push(`The engine does not read files: ${read.text}`);
    await ask(
      url,
      `SELECT * FROM url('http://127.0.0.1:${port}/', 'CSV', 'a String')`,
      '&http_max_tries=1',
    );
    if (this.#engine.called === 0) this.#faults.push('The engine calls nobody');
    this.#engine.called = 0;
    // The engine then has it as a table, which it refuses to make for a reader alone.
    const table = await ask(url, `SELECT * FROM '${file}'`);
    if (table.text !== `${SIGN}\n`) this.#faults.push(`The file is no table: ${table.text}`);
  }

  /** An ordinary function: refused when it is not harmless, and else not. */
  async #call(session: ClickhouseClient, { name, anyCase, harmless }: Subject) {
    const place = this.#random.of(Object.keys(PLACES));
    const argument = this.#random.of(["'x'", '1', "'2020-01-01'", '[1]', "'{}'"]);
    const written = spelled(name, anyCase, this.#random);
    const statement = PLACES[place]?.(written, gap(this.#random), argument) ?? '';
    const { outcome } = await this.#send(session, statement);
    this.#count(harmless ? 'functions that compute' : 'functions that do more', outcome);
    if ((outcome === 'refused') === harmless) this.#fault(outcome, place, statement);
  }

  async #leaving(session: ClickhouseClient, { name }: Subject) {
    const place = this.#random.of(Object.keys(TABLE_PLACES));
    const { port, file } = this.#engine;
    const argument = this.#random.of([
      `'http://127.0.0.1:${port}/', 'CSV', 'a String'`,
      `'127.0.0.1:${port}', 'd', 't', 'u', 'p'`,
      `'127.0.0.1:${port}', system.one`,
      `'${file}', 'LineAsString'`,
      'x',
      '',
    ]);
    const written = spelled(name, false, this.#random);
    const statement = TABLE_PLACES[place]?.(written, gap(this.#random), argument) ?? '';
    const { outcome } = await this.#send(session, statement);
    this.#count('table functions that leave', outcome);
    if (outcome === 'sent') this.#fault(outcome, place, statement);
  }

  async #staying(session: ClickhouseClient) {
    const [name, argument] = this.#random.of(STAYING_TABLES);
    const place = this.#random.of(Object.keys(TABLE_PLACES).filter((each) => each !== 'loop'));
    const written = spelled(name, false, this.#random);
    const statement = TABLE_PLACES[place]?.(written, gap(this.#random), argument) ?? '';
    const { outcome } = await this.#send(session, statement);
    this.#count('table functions that stay', outcome);
    if (outcome === 'refused') this.#fault(outcome, place, statement);
  }

  /** A function that is seen to run: what the engine runs, the driver has to refuse. */
  async #trap(session: ClickhouseClient) {
    const place = this.#random.of(Object.keys(PLACES));
    const written = spelled('file', false, this.#random);
    const argument = "concat('/nonexistent/TRIP', 'WIRE')";
    await this.#against(
      session,
      PLACES[place]?.(written, gap(this.#random), argument) ?? '',
      'trap',
    );
  }

  /** A table that is a file. */
  async #file(session: ClickhouseClient) {
    const name = inQuotes(this.#engine.file, ['"', '`', "'"], this.#random);
    const table = (name.startsWith("'") ? '' : this.#random.of(['', 'default.'])) + name;
    await this.#against(session, this.#random.of(FILE_PLACES)(table), 'file');
  }

  async #text(session: ClickhouseClient, functions: readonly Subject[]) {
    const names = functions.filter(({ harmless }) => harmless).map(({ name }) => name);
    await this.#against(session, textCase(names, this.#random), 'text');
  }

  async #against(session: ClickhouseClient, statement: string, what: string) {
    const direct = await ask(this.#engine.url, statement, '&readonly=1&max_threads=1');
    const ran = direct.text.includes(SIGN);
    const { outcome, told } = await this.#send(session, statement);
    this.#count(ran ? `${what}s that the engine runs` : `${what}s that it does not run`, outcome);
    if (told.includes(SIGN) || (ran && outcome === 'sent')) this.#fault(outcome, what, statement);
  }

  /** Whether the driver refused it before the server had it, and what came of it. */
  async #send(
    session: ClickhouseClient,
    query: string,
  ): Promise<{ outcome: Outcome; told: string }> {
    const call = callOf('read', { signal: AbortSignal.timeout(20_000) });
    try {
      const result = await session.run({ type: 'query', query }, call);
      return { outcome: 'sent', told: Buffer.from(result).toString() };
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      const told = JSON.stringify([thrown.message, thrown.details ?? []]);
      return { outcome: told.includes('"rule":') ? 'refused' : 'sent', told };
    }
  }

  #count(what: string, outcome: Outcome): void {
    const figure = `${what}, ${outcome}`;
    this.#figures[figure] = (this.#figures[figure] ?? 0) + 1;
  }

  #fault(outcome: Outcome, what: string, statement: string): void {
    this.#faults.push(`${outcome}, ${what}: ${JSON.stringify(statement)}`);
  }
}

/** Every one in its turn, in an order that leaves none out. */
function at(subjects: readonly Subject[], turn: number): Subject {
  const subject = subjects[(turn * 7_919) % subjects.length];
  if (subject === undefined) throw new Error('The engine has no functions.');
  return subject;
}
