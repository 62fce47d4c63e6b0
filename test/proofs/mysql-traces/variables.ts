/** A statement for every setting of a session that gives it another value. */
import type { TestDatabase } from '../../../node-relay/drivers/mysql/test/database.ts';

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly value: string | null;
  readonly values: string | null;
}

/** Settings that a caller may change; which the gateway refuses does not matter. */
export async function variables(database: TestDatabase): Promise<string[]> {
  const rows = await database.look(
    `SELECT VARIABLE_NAME AS name, VARIABLE_TYPE AS type, SESSION_VALUE AS value, ENUM_VALUE_LIST AS \`values\`
      FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_SCOPE LIKE 'SESSION%' AND READ_ONLY = 'NO' ORDER BY 1`,
  );
  return (rows as Variable[]).map(
    (variable) => `SET SESSION ${variable.name} = ${otherValue(variable)}`,
  );
}

function otherValue({ type, value, values }: Variable): string {
  const others = (values ?? '').split(',').filter((each) => each !== '' && each !== value);
  if (others[0] !== undefined) return `'${others[0]}'`;
  if (/INT|DOUBLE/.test(type)) return String(Number(value ?? 0) + 1_024);
  return `'x'`;
}
