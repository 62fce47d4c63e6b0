/** The guard takes statements apart as the server does: no sequence of tokens that it lets through writes. */

import type { MysqlRequest } from '../../../kinds/mysql/index.ts';
import type { MysqlClient } from '../../../node-relay/drivers/mysql/index.ts';
import { run as runRequest, sql } from '../../../node-relay/drivers/mysql/test/database.ts';
import { callOf } from '../../../node-relay/drivers/test/host.ts';
import type { Lease } from '../../../proto/driver.ts';
import { ProofServer } from '../mysql-server.ts';
import { type Send, Trial } from '../mysql-trial.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { sequence } from './sequences.ts';

/** Texts between two looks at the server's state. */
const BATCH = 200;
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

/** A session in a mode, held for one batch. */
async function inMode(
  write: MysqlClient,
  mode: string,
  work: (send: Send) => Promise<void>,
): Promise<void> {
  const lease = (await write.lease(callOf('write'))) as Lease<MysqlRequest>; // The driver has leases.
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
    const trial = await Trial.begin(server);
    let told = Date.now();
    let modes = 0;
    for (let done = 0, batch = 0; done < count; done += BATCH, batch += 1) {
      const texts = Array.from({ length: Math.min(BATCH, count - done) }, () => sequence(choices));
      const mode = batch % WITH_MODE === WITH_MODE - 1 ? choices.pick(MODES) : undefined;
      if (mode === undefined) {
        await trial.batch(texts, '', (text) => read.run(sql(text), callOf('read')));
      } else {
        modes += texts.length;
        await server.inMode(mode, () =>
          inMode(write, mode, (send) => trial.batch(texts, mode || 'none', send)),
        );
      }
      if (Date.now() - told > TELL_MS) {
        told = Date.now();
        progress(`${done} of ${count}, ${trial.faults.length} faults`);
      }
    }
    return {
      cases: count,
      faults: trial.faults,
      figures: { ...trial.figures(), 'in a session with a mode of its own': modes },
    };
  } finally {
    await server.stop();
  }
}

export const proof: Proof = {
  promise:
    'Of generated sequences of tokens, in every quoting, comment, glue and sql_mode, none that /read lets through is read by the server as a write, and none changes anything.',
  count: 200_000,
  run,
};
