/** Secrets of webhooks in a definition: as they came, sealed as they are stored, or hidden as they are shown. */
import { isJsonObject, type Json } from '../../../proto/json.ts';

/** Is where a secret is shown, and keeps it where it is sent back. */
export const HIDDEN = '***';
/** Fewest and most characters of a secret. Spec: workflows.md §5, `webhook`. */
const LENGTHS = { min: 8, max: 512 };
/** The only member of a stored secret. No client can send one: a secret that is sent is a text. */
const SEALED = '$sealed';

/** A sealed secret, as it is stored. */
export function sealedSecret(text: string): Json {
  return { [SEALED]: text };
}

/** The sealed text of a stored secret; undefined for any other value. */
export function sealedIn(json: Json): string | undefined {
  if (!isJsonObject(json)) return undefined;
  const { [SEALED]: text } = json;
  return typeof text === 'string' ? text : undefined;
}

/** Whether a text can be a secret. */
export function isSecret(text: string): boolean {
  return text.length >= LENGTHS.min && text.length <= LENGTHS.max;
}

/** The message about any other secret. */
export const SECRET_FORM = `must be a text of ${LENGTHS.min} to ${LENGTHS.max} characters, or a list of two`;

/** What secrets of a workflow are sealed for. @param uuid of the workflow */
export function purposeOf(uuid: string): string {
  return `workflow:${uuid}`;
}
