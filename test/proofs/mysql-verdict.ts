/** What the gateway and the server each made of a text. */
import { GatewayError } from '../../proto/errors.ts';

/** What the gateway did with a read: refused it before it was sent, or sent it. */
export type Verdict = 'refused' | 'passed' | 'failed';

/** Runs a read and says what came of it; a failure that is none of the gateway's own is thrown. */
export async function verdictOf(run: () => Promise<unknown>): Promise<Verdict> {
  try {
    await run();
    return 'passed';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return wasSent(error) ? 'failed' : 'refused';
  }
}

/** The server's own words come with its number; the lexer's own refusal has a sentence of its own. */
function wasSent({ code, details }: GatewayError): boolean {
  const [first] = details ?? [];
  const isServers = first !== undefined && 'source' in first && first.source === 'mysql';
  return isServers && !(code === 'REQUEST_FAILED' && / has no end$/.test(String(first.message)));
}

const WRITING =
  /\b(?:INTO|OUTFILE|DUMPFILE|UPDATE|DELETE|LOCK IN|FOR SHARE|PROCEDURE|NEXT VALUE|RETURNING)\b|:=|\b(?:NEXTVAL|SETVAL) \(|\. NEXTVAL\b/;
const CALLING =
  /`(?:get_lock|release_lock|release_all_locks|load_file|nextval|setval|bite|quiet|bites)` \(/i;
const SETTING = /`last_insert_id` \((?! ?\))/i;

/** What in a statement, as the server has read it, writes; undefined of a read. */
export function writingIn(digest: string): string | undefined {
  const words = digest.replace(/`(?:[^`]|``)*`/g, '``');
  return (WRITING.exec(words) ?? CALLING.exec(digest) ?? SETTING.exec(digest))?.[0];
}
