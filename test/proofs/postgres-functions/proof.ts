/** `/read` changes nothing by any function of a real server, in whatever way SQL runs it. Contract §6. */
import type { PostgresKind } from '../../../node-relay/drivers/postgres/test/database.ts';
import { ownServer } from '../postgres-server.ts';
import { onEachVersion } from '../postgres-versions.ts';
import type { Proof, ProofOptions, ProofResult } from '../proof.ts';
import { Choices } from '../random.ts';
import { Attack } from './attack.ts';
import { Cases } from './cases.ts';
import { readCatalog } from './catalog.ts';
import { Runner } from './runner.ts';
import { Watch } from './state.ts';
import { Values } from './values.ts';
import { World } from './world.ts';

/** The proof on one version. */
export async function proveOn(kind: PostgresKind, options: ProofOptions): Promise<ProofResult> {
  const server = await ownServer(kind);
  try {
    const world = await World.make(server);
    const catalog = await readCatalog(world.outside);
    await world.grantAll();
    const [{ version }] = (
      await world.outside.query("SELECT current_setting('server_version_num')::int AS version")
    ).rows;
    options.progress(
      `${kind} (${version}): ${catalog.functions.length} functions, extensions ${catalog.extensions.join(' ')}`,
    );
    const runner = await Runner.open(server.url);
    const values = new Values(catalog, world);
    const cases = new Cases({ catalog, values, version }, new Choices(options.seed));
    const watch = new Watch(server, world, runner.read);
    const attack = new Attack({ world, runner, watch, cases }, options);
    try {
      await attack.run();
      return attack.result(kind);
    } finally {
      await runner.close();
      await world.close();
    }
  } finally {
    await server.stop();
  }
}

export const proof: Proof = {
  promise: 'No function of PostgreSQL changes anything by /read, in whatever way it is run.',
  count: 40_000,
  run: (options) => onEachVersion(options, proveOn),
};
