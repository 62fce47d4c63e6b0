/** Every function of the server, however it is written and wherever it is: refused, or harmless. */
import { sql } from '../../../node-relay/drivers/mysql/test/database.ts';
import { callOf } from '../../../node-relay/drivers/test/host.ts';
import { ProofServer } from '../mysql-server.ts';
import { Trial } from '../mysql-trial.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { type Case, cases } from './cases.ts';

/** Cases between two looks at the server's state. */
const BATCH = 200;

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const server = await ProofServer.start();
  try {
    const { database } = server;
    const read = await database.open('read', { connections: 1 });
    const trial = await Trial.begin(server);
    const choices = new Choices(seed);
    let batch: Case[] = [];
    let done = 0;
    let made = 0;
    for await (const next of cases(database, choices)) {
      batch.push(next);
      if (batch.length < BATCH && done + batch.length < count) continue;
      const ready = await setUp(server, batch);
      made += ready.filter(({ setup }) => setup.length > 0).length;
      await trial.rebase();
      const texts = ready.map(({ text }) => text);
      await trial.batch(texts, '', (text) => read.run(sql(text), callOf('read')));
      done += batch.length;
      batch = [];
      progress(`${done} of ${count}, ${trial.faults.length} faults`);
      if (done >= count) break;
    }
    const figures = { ...trial.figures(), 'in views, defaults and computed columns': made };
    return { cases: done, faults: trial.faults, figures };
  } finally {
    await server.stop();
  }
}

/** Those whose views and tables the server takes; what it makes of a function is no read. */
async function setUp(server: ProofServer, batch: readonly Case[]): Promise<Case[]> {
  const ready: Case[] = [];
  for (const each of batch) {
    try {
      for (const statement of each.setup) await server.database.outside.query(statement);
      ready.push(each);
    } catch {
      // The server has no such thing.
    }
  }
  return ready;
}

export const proof: Proof = {
  promise:
    'Every function and word of the server, in every writing and place, in views, defaults and computed columns: /read refuses it, or it changes nothing.',
  count: 40_000,
  run,
};
