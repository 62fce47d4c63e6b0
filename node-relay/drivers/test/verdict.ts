/** What `config.allow` says of work, for tests of drivers. Spec: keys-and-doors.md §4. */
import { GatewayError } from '../../../proto/errors.ts';

/**
 * `taken`, the rule with what was named, or `failed:` with the backend's own words.
 * @param database is left out ahead of what was named
 */
export async function verdictOn(work: Promise<unknown>, database?: string): Promise<string> {
  try {
    await work;
    return 'taken';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.code !== 'FORBIDDEN') return `failed: ${error.message}`;
    const [detail] = error.details as readonly { rule: string; name?: string }[];
    const named = detail?.name ?? '';
    const name = database === undefined ? named : named.replace(`${database}.`, '');
    return `${detail?.rule} ${name}`.trim();
  }
}
