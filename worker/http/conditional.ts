/**
 * Conditional requests, RFC 9110 §13.1: a GET of a resource reports its tag, and a change may be
 * held to it. A tag is strong, and made of the revisions of what is stored of the resource; what
 * is merely counted or seen of it (usage, status, times of use) does not change it.
 */
import { badRequest, type GatewayError } from '../../proto/errors.ts';
import { hold, type IfMatch } from '../revision.ts';
import type { AnyRoute } from '../route.ts';

/** One entity-tag of a list and the comma after it; empty entries count for nothing. RFC 9110 §8.8.3, §5.6.1. */
const ENTRY = /(?:(?<weak>W\/)?"(?<tag>[!#-~\u0080-\uffff]*)"[\t ]*)?(?:,[\t ]*|$)/y;

const READS = new Set(['GET', 'HEAD']);

/**
 * What the request's `If-Match` asks for; `undefined` without one. Weak tags match nothing, and
 * neither does anything where a change asks by `If-None-Match: *` for what is not there. What
 * could not be honoured is refused, not ignored: clients that send it rely on it. Spec silent.
 * @throws GatewayError BAD_REQUEST when it is no list of tags, where no tag is told, and for a change by `If-None-Match` with tags
 */
export function ifMatchOf(
  { headers, method }: Request,
  { conditional }: Pick<AnyRoute, 'conditional'>,
): IfMatch | undefined {
  const unlike = conditional && !READS.has(method) ? headers.get('If-None-Match') : null;
  if (unlike === '*') return [];
  if (unlike !== null) {
    throw fault(
      'takes * alone in a change: name the revision to change by If-Match',
      'If-None-Match',
    );
  }
  const text = headers.get('If-Match');
  if (text === null) return undefined;
  if (!conditional) throw fault('is not taken here: this operation is on nothing that has an ETag');
  if (text === '*') return 'any';
  const tags = tagsOf(text);
  if (tags === undefined) throw fault('is no ETag: take one as a reply has it, with its quotes');
  return tags.filter(({ weak }) => !weak).map(({ tag }) => tag);
}

/**
 * Whether a GET finds what the client has already, by its `If-None-Match`; what is no tag there
 * names none. Weak tags match too.
 * @throws GatewayError PRECONDITION_FAILED for a GET that `If-Match` holds to another revision
 */
export function isKnown(request: Request, tag: string): boolean {
  hold(tag, ifMatchOf(request, { conditional: true }));
  return names(request.headers.get('If-None-Match'), tag);
}

/** Whether an `If-None-Match` names a tag; weak tags do too. */
export function names(text: string | null, tag: string): boolean {
  if (text === null) return false;
  return text === '*' || (tagsOf(text)?.some((each) => each.tag === tag) ?? false);
}

/** The entity-tags of a list; `undefined` when it is not a list, or empty. */
function tagsOf(text: string): { readonly weak: boolean; readonly tag: string }[] | undefined {
  const tags = [];
  ENTRY.lastIndex = 0;
  while (ENTRY.lastIndex < text.length) {
    const groups = ENTRY.exec(text)?.groups;
    if (groups === undefined) return undefined;
    const { weak, tag } = groups;
    if (tag !== undefined) tags.push({ weak: weak !== undefined, tag });
  }
  return tags.length > 0 ? tags : undefined;
}

function fault(message: string, path = 'If-Match'): GatewayError {
  return badRequest(path, message);
}
