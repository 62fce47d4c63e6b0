/** Who calls, as variables of a session that triggers, functions and statements can read. Spec: keys-and-doors.md §3. */
import type { SessionSettings } from '../../../proto/driver.ts';
import type { Parsed } from './statement.ts';

/** Statements that go around a caller's own. */
interface SettingStatements {
  /** Tells who calls. */
  readonly ahead: string;
  /** Takes it back, so that a statement whose own could not be set runs as nobody's. */
  readonly behind: string;
}

/** What begins, ends and parts transactions reads nothing. */
const CONTROL = new Set(['BEGIN', 'START', 'COMMIT', 'ROLLBACK', 'SAVEPOINT', 'RELEASE']);

/** What goes around a statement; undefined around what begins or ends a transaction, and where nothing is to be told. */
export function aroundOf(
  session: SessionSettings | undefined,
  { first }: Parsed,
): SettingStatements | undefined {
  if (session === undefined || session.settings.length === 0 || CONTROL.has(first))
    return undefined;
  const { settings } = session;
  return {
    ahead: `SET ${settings.map(([name, value]) => `${quoted(name)} = ${hexLiteral(value)}`).join(', ')}`,
    behind: `SET ${settings.map(([name]) => `${quoted(name)} = NULL`).join(', ')}`,
  };
}

/** @param name with its `@` */
function quoted(name: string): string {
  return `@\`${name.slice(1).replaceAll('`', '``')}\``;
}

/** In digits, which mean the same under every setting of a session. */
function hexLiteral(value: string): string {
  return `_utf8mb4 X'${Buffer.from(value).toString('hex')}'`;
}
