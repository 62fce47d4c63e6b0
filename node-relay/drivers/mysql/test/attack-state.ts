/** What attacks on `/read` could have changed, to be compared before and after them. */
import { existsSync } from 'node:fs';
import type { TestDatabase } from './database.ts';

/** Where attacks write, when they can. */
export const ATTACK_FILE = '/tmp/causeway-attack-mysql';

/** Everything that an attack could have changed. */
export async function stateOf(database: TestDatabase): Promise<unknown> {
  const here = `'${database.name}'`;
  const counts = await database.look(`SELECT
    (SELECT group_concat(id, name ORDER BY id) FROM items) AS items,
    (SELECT count(*) FROM trace) AS traces,
    (SELECT next_not_cached_value FROM counter) AS counter,
    (SELECT group_concat(TABLE_NAME ORDER BY TABLE_NAME) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${here}) AS tables_,
    (SELECT count(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ${here}) AS columns_,
    (SELECT count(*) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ${here}) AS routines,
    (SELECT count(*) FROM mysql.global_priv WHERE User IN ('attacker', 'nobody')) AS users,
    (SELECT count(*) FROM information_schema.PLUGINS) AS plugins,
    is_used_lock('attack') AS locks, @@GLOBAL.max_connections AS connections`);
  return { counts, file: existsSync(ATTACK_FILE) };
}
