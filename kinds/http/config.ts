/** The configuration of an http endpoint. Contract §5. */
import * as z from 'zod';
import { CONNECTION_NEEDED, connectionsOf, NO_URL, Transport, VpnRoute } from '../members.ts';
import { faultOfBase } from './address.ts';
import { faultOfHeader } from './headers.ts';
import { isMethodOverride } from './overrides.ts';

/** Most headers of a request or a configuration. Spec silent. */
const HEADERS_MAX = 100;

const HeaderTexts = z.record(z.string(), z.string({ error: 'must be text' }), {
  error: 'must be an object of names and texts',
});

/** Headers by their names, in any letter case. */
export const Headers = HeaderTexts.superRefine((headers, faults) => {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const twice = names.has(name.toLowerCase()) ? 'is there twice' : undefined;
    const message = twice ?? faultOfHeader(name, value);
    names.add(name.toLowerCase());
    if (message !== undefined) faults.addIssue({ code: 'custom', path: [name], message });
  }
  if (names.size > HEADERS_MAX) {
    faults.addIssue({ code: 'custom', message: `are more than ${HEADERS_MAX}` });
  }
});

/** With those of a configuration every request would be of another method than it says. */
const SealedHeaders = Headers.superRefine((headers, faults) => {
  for (const name of Object.keys(headers).filter(isMethodOverride)) {
    const message = 'may name another method: send it with a request to /write';
    faults.addIssue({ code: 'custom', path: [name], message });
  }
});

/** A server, by the URL that paths are under. */
export const HttpConnection = z
  .strictObject(
    {
      url: z
        .string({ error: NO_URL })
        .min(1)
        .superRefine((url, faults) => {
          const message = url === '' ? undefined : faultOfBase(url);
          if (message !== undefined) faults.addIssue({ code: 'custom', message });
        })
        .meta({
          description:
            'What all paths are under; its query goes with every request, a user and password in it as `Authorization`, and replies show `***` for both',
          examples: ['https://api.example.com/v1'],
        }),
      headers: SealedHeaders.optional().meta({
        description:
          'Sent with every request to the origin of `url`, and to no other; they win over those of a request. Sealed at rest, replies show `***`',
        examples: [{ Authorization: 'Bearer s3cr3t' }],
      }),
    },
    CONNECTION_NEEDED,
  )
  .meta({
    id: 'HttpConnection',
    description: 'A server that speaks HTTP',
    examples: [{ url: 'https://api.example.com/v1', headers: { Authorization: 'Bearer s3cr3t' } }],
  });

/** Member `config` of an http endpoint. */
export const HttpConfig = z
  .strictObject({
    ...connectionsOf(HttpConnection, {
      write: '`/write`',
      read: 'another server, or credentials that may only read',
    }),
    transport: Transport.optional(),
    vpn_route: VpnRoute.optional(),
  })
  .meta({
    id: 'HttpConfig',
    description: 'Configuration of an http endpoint',
    examples: [
      {
        write_conn: {
          url: 'https://api.example.com/v1',
          headers: { Authorization: 'Bearer s3cr3t' },
        },
      },
    ],
  });
export type HttpConfig = z.infer<typeof HttpConfig>;
