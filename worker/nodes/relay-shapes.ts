/** What relays send and are answered: enrolling and beats. Spec: nodes.md §1. */
import * as z from 'zod';
import { TUNNEL_PROTOCOL } from '../../proto/tunnel/frame.ts';
import { count, uuid } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { KEY_EXAMPLES, SealingKey, SigningKey } from './key-shapes.ts';
import { Kinds, Load, Name, SECRET, Transport, VERSION_MAX } from './shapes.ts';

const told = {
  version: z
    .string()
    .max(VERSION_MAX)
    .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII')
    .meta({ description: 'Of its program', examples: ['0.1.0'] }),
  kinds: Kinds,
};

/** What a relay enrols with; without a secret it asks which node its signing key is of, and signs that. */
export const EnrolBody = z
  .strictObject({
    secret: z
      .string()
      .max(128)
      .optional()
      .meta({ description: 'What registering answered', examples: [SECRET] }),
    name: Name.optional().meta({
      description: 'Another name for the node',
      examples: ['berlin-1'],
    }),
    organization: z
      .uuid()
      .optional()
      .meta({
        description:
          'UUID of the only organization whose node it will be; without it, the one where a relay with its key was heard before, or the only one that has registered it',
        examples: [SAMPLE.orgUuid],
      }),
    signing_key: SigningKey,
    sealing_key: SealingKey,
    ...told,
  })
  .meta({
    id: 'NodeEnrolInput',
    description: 'The keys that a relay made for itself',
    examples: [
      {
        secret: SECRET,
        signing_key: KEY_EXAMPLES.Ed25519,
        sealing_key: KEY_EXAMPLES['P-256'],
        version: '0.1.0',
        kinds: ['postgres', 'redis'],
      },
    ],
  });
export type EnrolBody = z.infer<typeof EnrolBody>;

const reply = {
  nonce: z
    .string()
    .meta({ description: 'To sign the next request with', examples: ['mhk2.c0ffee.1f'] }),
  time: count("The gateway's clock, in Unix epoch milliseconds", 1_773_135_000_000),
  gateway_keys: z.array(z.record(z.string(), z.string())).meta({
    description: 'Public JWKs that tokens for calls are signed with',
    examples: [[{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }]],
  }),
};

/** Which node the relay is, and what it needs to know of the gateway. */
export const Enrolled = z
  .object({
    uuid: uuid('The node', SAMPLE.nodeUuid),
    name: z.string().meta({ description: 'Its name', examples: ['berlin-1'] }),
    organization: uuid('Whose it is', SAMPLE.orgUuid),
    transport: Transport,
    ...reply,
  })
  .meta({ id: 'NodeEnrolled', description: 'The node that the relay is' });
export type Enrolled = z.infer<typeof Enrolled>;

/** What a node says about itself every 10 s. */
export const BeatBody = z
  .strictObject({
    ...told,
    load: Load,
    clock_offset_ms: z
      .int()
      .meta({ description: "By how much its clock is ahead of the gateway's", examples: [-3] }),
    stopping: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether it is about to stop', examples: [false] }),
  })
  .meta({
    id: 'NodeBeat',
    description: 'How a node is',
    examples: [
      {
        version: '0.1.0',
        kinds: ['postgres', 'redis'],
        load: { calls: 3, connections: 12 },
        clock_offset_ms: -3,
      },
    ],
  });
export type BeatBody = z.infer<typeof BeatBody>;

/** What a beat is answered. */
export const Heard = z.object(reply).meta({
  id: 'NodeHeard',
  description: 'What the node needs for its next beat, and for the calls that it takes',
});

/** Headers of a signed request. */
export const SignedHeaders = z.object({
  'Causeway-Instance': z
    .string()
    .optional()
    .meta({ description: 'A UUID of the process that asks', examples: [SAMPLE.requestId] }),
  'Causeway-Nonce': z
    .string()
    .optional()
    .meta({
      description: 'What the gateway gave last; without one the 401 gives one',
      examples: ['mhk2.c0ffee.1f'],
    }),
  'Causeway-Signature': z
    .string()
    .optional()
    .meta({ description: 'Ed25519 in base64url', examples: ['c2lnbmF0dXJl'] }),
});

/** Headers of a request that opens a tunnel. */
export const TunnelHeaders = SignedHeaders.extend({
  Upgrade: z
    .string()
    .optional()
    .meta({ description: '`websocket`', examples: ['websocket'] }),
  'Sec-WebSocket-Protocol': z
    .string()
    .optional()
    .meta({ description: `\`${TUNNEL_PROTOCOL}\``, examples: [TUNNEL_PROTOCOL] }),
});

/** What stands for the connection in the description. */
export const Tunnel = z
  .object({})
  .meta({ description: 'The connection is a WebSocket from now on, for frames of calls' });
