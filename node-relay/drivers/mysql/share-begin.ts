/** Begins shares, each by itself or in one piece with its first statement. Spec: transactions.md §3. */
import type { Call, Mode } from '../../../proto/driver.ts';
import type { Isolation } from '../../../proto/prepares.ts';
import type { Connection } from './connection.ts';
import { ahead, together } from './one-piece.ts';
import type { ShareParts } from './share-parts.ts';

/** A process that works on a share calls more often: a server that hears nothing for so long from a relay that is cut off undoes it. */
const IDLE_MAX_S = 60;
/** The level by itself, and by default where the server's own is weaker than that. */
const LEVELS: { readonly [level in Isolation]: string } = {
  'read committed': 'READ-COMMITTED',
  'repeatable read': 'REPEATABLE-READ',
  serializable: 'SERIALIZABLE',
};
const TOO_WEAK = 'READ-UNCOMMITTED';

/** The last id may be that of another caller's write. */
const SETTINGS = `wait_timeout = ${IDLE_MAX_S}, last_insert_id = 0`;
/** What the end of a share takes back. */
const TAKEN_BACK = { takenBack: true } as const;

/** What begins, and on what. */
interface Begins {
  readonly parts: ShareParts;
  readonly connection: Connection;
  readonly name: string;
  readonly isXa: boolean;
  readonly isolation: Isolation | undefined;
}

/** Whether a share has begun on the connection before, at a level that needs no change. */
export async function isUsual({ parts, connection, isXa, isolation }: Begins): Promise<boolean> {
  if (!isXa || isolation !== undefined) return false;
  const usual = await parts.level(connection);
  return connection.level === usual && usual !== TOO_WEAK;
}

/**
 * Begins one in one piece with its first statement. The server answers each command by itself: without `autocommit` a
 * statement behind a beginning that failed is kept by nobody.
 */
export function beginAhead({ parts, connection, name }: Begins): Promise<unknown> {
  return ahead(connection.wire, () => [
    parts.announce(connection, name),
    connection.query(`SET SESSION ${SETTINGS}, autocommit = 0`, TAKEN_BACK),
    connection.query(`XA START '${name}'`, TAKEN_BACK),
  ]);
}

/** Begins one by itself. @param undo ends it again */
export async function beginAlone(
  { parts, connection, name, isXa, isolation }: Begins,
  { mode }: Call,
  undo: () => Promise<void>,
): Promise<void> {
  for (;;) {
    const usual = await parts.level(connection);
    const level = isolation ?? (usual === TOO_WEAK ? 'read committed' : undefined);
    const set = level === undefined ? '' : `, ${parts.levelName} = '${LEVELS[level]}'`;
    const [own] = await together(connection.wire, () => [
      parts.announce(connection, name),
      connection.query(`SET SESSION ${SETTINGS}${set}`),
      connection.query(isXa ? `XA START '${name}'` : plainBegin(mode)),
    ]);
    // What this has set the end of a share takes back; a level goes with a reset.
    connection.wire.sessionChanged = level !== undefined;
    if (isolation !== undefined || own === usual) return;
    // The server's default has changed since it was asked for.
    await undo();
    await connection.query(`SET SESSION ${parts.levelName} = '${own}'`);
  }
}

function plainBegin(mode: Mode): string {
  return mode === 'read' ? 'START TRANSACTION READ ONLY' : 'START TRANSACTION';
}
