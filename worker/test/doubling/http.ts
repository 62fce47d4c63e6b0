/** What the worker reads of a request besides its documents: headers, addresses, words of Upstash. */
import { type Subject, text, value } from '../../../test/proofs/doubling/subject.ts';
import { bearerOf } from '../../access/authenticate.ts';
import { isCanonical } from '../../access/tokens.ts';
import { credentialsOf, organizationOf } from '../../auth/credentials.ts';
import { inPath, pathOf } from '../../drivers/edge/upstash/binary.ts';
import { repliesIn } from '../../drivers/edge/upstash/replies.ts';
import { splitUrl } from '../../endpoints/connection-url.ts';
import { mergePatch } from '../../endpoints/merge-config.ts';
import { redactUrl } from '../../endpoints/redact.ts';
import { commandsIn } from '../../facades/upstash/commands.ts';
import { wordsOfPath, wordsOfQuery } from '../../facades/upstash/words.ts';
import { checkBodyHeaders, parseBody } from '../../http/body.ts';
import { ifMatchOf, isKnown } from '../../http/conditional.ts';
import { isHost } from '../../http/host.ts';
import { requestIdOf } from '../../http/request-id.ts';
import { isVisible, revealed, visible } from '../../shapes/visible.ts';

/** All headers of a request together are no longer. */
const HEADERS_MAX = 131_072;
const encoder = new TextEncoder();

/** A request with such a header; one that no header can be is none. */
function requestWith(name: string, content: string): Request {
  const safe = content.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '~');
  return new Request('https://gateway.example/', { headers: { [name]: safe } });
}

/** Of HTTP. */
export const HTTP: readonly Subject[] = [
  text('a body', ['worker/http/body.ts', 'proto/json-fault.ts'], (each) =>
    parseBody(encoder.encode(each)),
  ),
  text('a body of broken characters', ['worker/http/body.ts'], (each) =>
    parseBody(Uint8Array.from(each, (unit) => unit.charCodeAt(0) | 0x80)),
  ),
  text(
    'Content-Type',
    ['worker/http/body.ts'],
    (each) => {
      const request = requestWith('Content-Type', `application/json;${each}`);
      checkBodyHeaders(new Request(request, { method: 'POST', body: '1' }), 1e6);
    },
    HEADERS_MAX,
  ),
  text(
    'If-Match',
    ['worker/http/conditional.ts'],
    (each) => [ifMatchOf(requestWith('If-Match', each), { conditional: true })],
    HEADERS_MAX,
  ),
  text(
    'If-None-Match',
    ['worker/http/conditional.ts'],
    (each) => isKnown(requestWith('If-None-Match', each), '"a"'),
    HEADERS_MAX,
  ),
  text('Host', ['worker/http/host.ts'], isHost, HEADERS_MAX),
  text(
    'X-Request-Id',
    ['worker/http/request-id.ts'],
    (each) => requestIdOf(requestWith('X-Request-Id', each).headers),
    HEADERS_MAX,
  ),
  text(
    'Authorization',
    ['worker/auth/credentials.ts'],
    (each) => {
      const { headers } = requestWith('Authorization', `Basic ${each}`);
      return credentialsOf(headers.get('Authorization') ?? undefined);
    },
    HEADERS_MAX,
  ),
  text(
    'X-Org-Id',
    ['worker/auth/credentials.ts'],
    (each) => organizationOf(requestWith('X-Org-Id', each).headers.get('X-Org-Id') ?? undefined),
    HEADERS_MAX,
  ),
  text(
    'a bearer token',
    ['worker/access/authenticate.ts', 'worker/access/tokens.ts'],
    (each) => [isCanonical(each), bearerOf(`Bearer ${each}`)],
    HEADERS_MAX,
  ),
  text('a name that is seen', ['worker/shapes/visible.ts'], (each) => [
    isVisible(each),
    visible(each),
    revealed(each),
  ]),
  text(
    'a connection URL that is shown',
    ['worker/endpoints/connection-url.ts', 'worker/endpoints/redact.ts'],
    (each) => [splitUrl(`redis://${each}`), redactUrl(`redis://${each}`)],
  ),
  text(
    "a path of Upstash's",
    ['worker/facades/upstash/words.ts', 'worker/facades/upstash/commands.ts'],
    (each) => [wordsOfPath(`/${each}`, 0), wordsOfQuery(`?${each}`)],
  ),
  text("a body of Upstash's", ['worker/facades/upstash/commands.ts'], (each) =>
    commandsIn(
      new Request('https://gateway.example/upstash/e/set/k', { method: 'POST' }),
      encoder.encode(each),
    ),
  ),
  text('words for Upstash', ['worker/drivers/edge/upstash/binary.ts'], (each) => [
    pathOf([each]),
    inPath(['set'], { type: 'set', args: [each] }),
  ]),
  text('a reply of Upstash', ['worker/drivers/edge/upstash/replies.ts'], repliesIn),
  value('mergePatch', ['worker/endpoints/merge-config.ts'], (each) => mergePatch({ a: 1 }, each)),
];
