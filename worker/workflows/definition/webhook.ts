/** Reads webhook triggers. Spec: workflows.md §5, `webhook`. */
import type { Pieces } from '../../../proto/work/pieces.ts';
import { DELIVERY, isHookPath, readDelivery } from './delivery.ts';
import type { Drafts } from './draft.ts';
import { compiled } from './expression.ts';
import type { Members } from './members.ts';
import { HIDDEN, isSecret, SECRET_FORM, sealedIn } from './secrets.ts';
import type { WebhookTrigger } from './trigger-tree.ts';

const SCHEMES = ['plain', 'standard', 'stripe', 'slack'] as const;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** A secret of Standard Webhooks with its key in base64. */
const STANDARD = /^whsec_([A-Za-z0-9+/_-]+)={0,2}$/;
/** Bytes of such a key. Source: Standard Webhooks, "Signature scheme". */
const KEY_BYTES = { least: 24, most: 64 };
const HEADER_FORM = 'must be the name of a header';

/** Reads a trigger of type `webhook`. */
export function* readWebhook(
  drafts: Drafts,
  members: Members,
  index: number,
): Pieces<WebhookTrigger | undefined> {
  const names = ['type', 'path', 'authentication', 'synchronous', 'mapping'];
  members.refuseOthers(names, 'a trigger of type webhook');
  const path = members.needText('path')?.replace(/^\//, '');
  if (path !== undefined && !isHookPath(path)) {
    members.fault('path', 'must be 1 to 8 segments of letters, digits, _ and -, each of up to 64');
  } else if (path?.startsWith('-/') && drafts.lookups.isStored !== true) {
    members.fault('path', 'may not begin with -/: callbacks are there');
  }
  const synchronous = members.flag('synchronous', false);
  const { mapping } = yield* readDelivery(drafts, members);
  const inner = members.has('authentication')
    ? members.members('authentication')
    : members.fault('authentication', 'is required');
  const authentication = inner && readAuthentication(drafts, inner);
  if (path === undefined || authentication === undefined) return undefined;
  return { type: 'webhook', index, path, synchronous, authentication, filter: undefined, mapping };
}

function readAuthentication(
  drafts: Drafts,
  members: Members,
): WebhookTrigger['authentication'] | undefined {
  const names = ['type', 'header', 'secret', 'scheme', 'algorithm', 'idHeader', 'id'];
  members.refuseOthers(names, 'authentication');
  if (members.has('type')) members.chosen('type', ['hmac']);
  else members.fault('type', 'is required: hmac');
  const scheme = members.oneOf('scheme', SCHEMES, 'plain');
  const header = headerOf(members, 'header');
  if (header === undefined && scheme === 'plain' && !members.has('header')) {
    members.fault('header', 'is required of scheme plain: the header that has the signature');
  }
  if (members.has('algorithm') && scheme !== 'plain') {
    members.fault('algorithm', `is of scheme plain, and this is ${scheme}`);
  }
  const algorithm = members.oneOf('algorithm', ['sha256', 'sha512'], 'sha256');
  const idHeader = headerOf(members, 'idHeader');
  const source = members.text('id');
  if (source !== undefined && members.has('idHeader')) {
    members.fault('id', 'says what idHeader says: write one');
  }
  const at = { where: members.at('id'), stand: DELIVERY };
  const id = source === undefined ? undefined : compiled(drafts, source, at);
  const secrets = readSecrets(drafts, members);
  if (scheme === 'standard' && secrets?.some(isNoStandard)) {
    members.fault('secret', 'must have base64 of 24 to 64 bytes after whsec_');
  }
  return secrets && { scheme, algorithm, header, secrets, idHeader, id };
}

function isNoStandard(secret: string): boolean {
  if (!secret.startsWith('whsec_')) return false;
  const bytes = Math.floor(((STANDARD.exec(secret)?.[1] ?? '').length * 3) / 4);
  return bytes < KEY_BYTES.least || bytes > KEY_BYTES.most;
}

function headerOf(members: Members, name: string): string | undefined {
  const header = members.text(name);
  if (header === undefined || HEADER.test(header)) return header;
  return members.fault(name, HEADER_FORM);
}

/** One secret, or two while the sender changes from one to the other. */
function readSecrets({ lookups }: Drafts, members: Members): readonly string[] | undefined {
  const json = members.get('secret');
  if (json === undefined) return members.fault('secret', 'is required');
  const list = Array.isArray(json) ? json : [json];
  if (Array.isArray(json) && list.length !== 2) return members.fault('secret', SECRET_FORM);
  if (lookups.isStored === true) return list.map((each) => sealedIn(each) ?? '');
  if (list.includes(HIDDEN)) {
    return members.fault('secret', 'is hidden here: send the secret itself');
  }
  const texts = list.flatMap((each) => {
    const text = typeof each === 'string' && isSecret(each) ? each : sealedIn(each);
    return text === undefined ? [] : [text];
  });
  return texts.length < list.length ? members.fault('secret', SECRET_FORM) : texts;
}
