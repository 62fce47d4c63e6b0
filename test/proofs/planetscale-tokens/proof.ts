/** The proof of MySQL's tokens, by way of PlanetScale's driver at the edge and its stand-in. */
import { sql } from '../../../node-relay/drivers/mysql/test/database.ts';
import { callOf } from '../../../node-relay/drivers/test/host.ts';
import { planetscale } from '../../../worker/drivers/edge/planetscale/index.ts';
import { openNetwork } from '../../stand-ins/edge-host.ts';
import { PlanetScaleStandIn } from '../../stand-ins/planetscale/server.ts';
import { ProofServer } from '../mysql-server.ts';
import { sequence } from '../mysql-tokens/sequences.ts';
import { Trial } from '../mysql-trial.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';

/** Texts between two looks at the server's state. */
const BATCH = 200;

async function run({ seed, count, progress }: ProofOptions): Promise<ProofResult> {
  const server = await ProofServer.start();
  const standIn = await PlanetScaleStandIn.start(server.database.url);
  try {
    const choices = new Choices(seed);
    const session = planetscale.open(
      { connection: { url: standIn.url }, settings: {} },
      openNetwork,
    );
    const trial = await Trial.begin(server);
    for (let done = 0; done < count; done += BATCH) {
      const texts = Array.from({ length: Math.min(BATCH, count - done) }, () => sequence(choices));
      await trial.batch(texts, '', (text) => session.run(sql(text), callOf('read')));
      progress(`${done} of ${count}, ${trial.faults.length} faults`);
    }
    return { cases: count, faults: trial.faults, figures: trial.figures() };
  } finally {
    await standIn.stop();
    await server.stop();
  }
}

export const proof: Proof = {
  promise:
    'At PlanetScale, too, no generated sequence of tokens that /read lets through is read by the server as a write, and none changes anything.',
  count: 20_000,
  run,
};
