/** Bodies and results of the operations on endpoints, as on the wire. Spec: "Endpoint". */
import * as z from 'zod';
import { KIND_SHAPES } from '../../kinds/describe.ts';
import { type Kind, kindSpec, kinds } from '../../kinds/index.ts';
import type { KindShapes } from '../../kinds/kind.ts';
import { JsonValue } from '../../kinds/members.ts';
import { ChosenId } from '../shapes/ids.ts';
import { count, NextCursor, timestamp, timestampOrNull, uuid } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { shownAs } from '../shapes/shown-as.ts';
import { text } from '../shapes/texts.ts';
import { CREATE, DETAIL, PATCH, RECORD, UPDATED } from './examples.ts';
import { PoolLimits, PoolLimitsPatch } from './pool-limits.ts';
import { warnings } from './warnings.ts';

export type { PoolLimits };

/** Longest description, in characters: it is one cell of a row. Spec silent. */
const DESCRIPTION_MAX = 16_384;

/** Parameter of every path below `/endpoints/{endpoint}`. */
export const EndpointPath = z.object({
  endpoint: z
    .string()
    .min(1)
    .meta({ description: "The endpoint's id or UUID", examples: [SAMPLE.endpoint] }),
});
/** A lease below an endpoint. */
export const SessionPath = EndpointPath.extend({
  session_id: z
    .string()
    .min(1)
    .meta({
      description: 'The `session_id` that opening the session answered',
      examples: [SAMPLE.session],
    }),
});
export type SessionPath = z.infer<typeof SessionPath>;

/** Contract §1, "Id format". */
const EndpointId = ChosenId.refine((id) => id !== 'subjects', 'may not be "subjects"').meta({
  description:
    'Id of your choice, which paths name: 1 to 128 letters, digits, dots, underscores and hyphens, beginning with a letter or digit; no UUID, and not `subjects`',
  examples: [SAMPLE.endpoint],
});

const Description = text(DESCRIPTION_MAX);
const Profile = z.enum(['production', 'development']);
const BackendProfile = Profile.meta({
  description:
    'Under `development` every call takes the development route, and fails where there is none',
  examples: ['production'],
});
const AnyConfig = z.record(z.string(), JsonValue);
/** What any of the kinds has, each shape once: several kinds may share one, and some have none. */
export const ofKinds = (shapeOf: (shapes: KindShapes, kind: Kind) => z.ZodType | undefined) =>
  z.union(
    [
      ...new Set((Object.keys(kinds) as Kind[]).map((kind) => shapeOf(KIND_SHAPES[kind], kind))),
    ].filter((shape) => shape !== undefined),
  );
/** One of the forms that any of the kinds has, each once: a value has exactly one of them. */
export const formsOf = (listOf: (shapes: KindShapes) => readonly z.ZodType[] | undefined) =>
  z.xor([...new Set(Object.values(KIND_SHAPES).flatMap((shapes) => listOf(shapes) ?? []))]);
const Config = shownAs(
  AnyConfig,
  ofKinds((_, kind) => kindSpec(kind).config),
);

/** Every kind as it is stored and as the API writes it, and its aliases. */
const KIND_NAMES = (Object.keys(kinds) as Kind[]).flatMap((kind) => [
  ...new Set([kind, kindSpec(kind).label, ...kindSpec(kind).aliases]),
]);

/** Spec: "Endpoint", create body. */
export const CreateBody = z
  .strictObject({
    endpoint: EndpointId,
    kind: z
      .string()
      .min(1)
      .meta({
        description: 'Kind of the backend; every name is taken in any letter case',
        examples: ['postgres'],
        override: { enum: KIND_NAMES },
      }),
    config: Config.meta({
      description: 'How to reach the backend, in the shape of its kind; at most 256 Ki characters',
    }),
    description: Description.default('').meta({
      description: 'What it is for, in your own words; empty when left out',
      examples: [CREATE.description],
    }),
    backend_profile: BackendProfile.optional().meta({
      description:
        'Under `development` every call takes the development route, and fails where there is none; `production` when left out',
    }),
    backend_pool_limits: PoolLimits.default({}).meta({
      description:
        "Most connections to the backend at a time; a cap that is left out is each node's own",
    }),
  })
  .meta({
    id: 'EndpointInput',
    description: 'A new endpoint; each of its connections must answer before it is stored',
    examples: [CREATE],
  });
export type CreateBody = z.infer<typeof CreateBody>;

/** Members of an endpoint that a PATCH changes, besides `config`. */
export const Changeable = z.strictObject({
  description: Description.default(''),
  backend_profile: BackendProfile.optional(),
  backend_pool_limits: PoolLimits.default({}),
});

/** Spec: "Endpoint management", partial body; `null` removes. */
export const PatchBody = z
  .strictObject({
    kind: z
      .string()
      .optional()
      .meta({
        description: "Cannot change: it is the endpoint's own",
        examples: ['postgres'],
        override: { enum: KIND_NAMES },
      }),
    config: shownAs(
      AnyConfig,
      ofKinds(({ configPatch }) => configPatch),
    )
      .optional()
      .meta({
        description:
          'Merged member by member, then tried: a `*_conn` replaces the whole one, null removes a member; if it cannot connect, the configuration so far goes on serving',
      }),
    description: Description.nullish().meta({
      description: 'What it is for, in your own words; null empties it',
      examples: [CREATE.description],
    }),
    backend_profile: Profile.nullish().meta({
      description: 'Null is `production` again',
      examples: ['development'],
    }),
    backend_pool_limits: PoolLimitsPatch.nullish().meta({
      description: 'Merged cap by cap; null removes all',
    }),
  })
  .meta({
    id: 'EndpointPatch',
    description: 'Changes of an endpoint by JSON Merge Patch (RFC 7396): what is left out stays',
    examples: [PATCH],
  });
export type PatchBody = z.infer<typeof PatchBody>;

const identity = {
  id: z.string().meta({ description: "The endpoint's chosen id", examples: [SAMPLE.endpoint] }),
  uuid: uuid('Stays the same for the whole life of the endpoint', SAMPLE.endpointUuid),
  kind: z.enum((Object.keys(kinds) as Kind[]).map((kind) => kindSpec(kind).label)).meta({
    description: 'Kind of the backend, as the API writes it',
    examples: ['Postgres'],
  }),
};
const backend_profile = BackendProfile.optional().meta({
  description: 'As it was set; absent where it never was, which is `production`',
});

/** Spec: "Endpoint record". */
const EndpointRecord = z
  .object({
    ...identity,
    created_at: timestamp('When it was created', SAMPLE.created),
    backend_profile,
  })
  .meta({ id: 'Endpoint', description: 'An endpoint, in short', examples: [RECORD] });

/** What creating one answers. */
export const CreatedRecord = EndpointRecord.extend({ warnings }).meta({
  id: 'CreatedEndpoint',
  description: 'The new endpoint, in short',
  examples: [RECORD],
});

/** What a PATCH answers. */
export const UpdatedRecord = z
  .object({
    ...identity,
    updated_at: timestamp('When this change was made', SAMPLE.changed),
    backend_profile,
    warnings,
  })
  .meta({ id: 'UpdatedEndpoint', description: 'The changed endpoint', examples: [UPDATED] });

/** A page of endpoints, by id. */
export const EndpointPage = z
  .object({
    endpoints: z
      .array(EndpointRecord)
      .meta({ description: 'Those that you may read, in the order of their ids' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'EndpointPage',
    description: 'A page of the endpoints that you may read',
    examples: [{ endpoints: [RECORD], next_cursor: SAMPLE.cursor }],
  });

export const ConnectionStatusName = z
  .enum(['available', 'degraded', 'unavailable', 'draining', 'unknown'])
  .meta({ examples: ['available'] });

/** Contract §5, what GET adds. */
export const EndpointDetail = EndpointRecord.extend({
  updated_at: timestamp('When it was last changed', SAMPLE.changed),
  description: z.string().meta({
    description: 'What it is for; empty when nobody said',
    examples: [CREATE.description],
  }),
  config: Config.meta({
    description: 'How the backend is reached, with `***` in place of every secret',
  }),
  backend_pool_limits: PoolLimits.meta({
    description: 'The caps that were set; others are absent',
  }),
  connection_status: ConnectionStatusName.meta({
    description: 'What the last call, test or change saw of the backend; `unknown` before any',
  }),
  last_connected_at: timestampOrNull('When the backend last answered; null before it ever did'),
  usage: z
    .object({
      reads: count('Requests to `/read`', DETAIL.usage.reads),
      writes: count('Requests to `/write`, and transactions', DETAIL.usage.writes),
      errors: count('Those of both that failed', DETAIL.usage.errors),
    })
    .meta({
      description: 'Calls that were sent to the backend since it was created, a second late',
    }),
}).meta({
  id: 'EndpointDetail',
  description: 'An endpoint with all that may be shown of it',
  examples: [DETAIL],
});

/** Whether the backend answered; without an answer `error` says why. */
export const TestResult = z
  .object({
    connected: z.boolean().meta({
      description: 'Whether the connections for writes and for reads both answered',
      examples: [true],
    }),
    latency_ms: count('Milliseconds of the slower round trip, or until the failure', 4),
    error: z
      .object({
        error: z.string().meta({
          description: 'The failure in short',
          examples: ['Connection failed'],
        }),
        message: z.string().meta({
          description: 'The failure in words, without addresses',
          examples: ['Unable to connect to database: connection refused'],
        }),
        code: z
          .enum(['CONNECTION_FAILED', 'TIMED_OUT'])
          .meta({ description: 'Stable name of the failure', examples: ['CONNECTION_FAILED'] }),
      })
      .optional()
      .meta({ description: 'Why there is no connection; absent when there is one' }),
    warnings,
  })
  .meta({
    id: 'ConnectionTest',
    description: 'How a try of the connections went; that there is none is a result, not an error',
    examples: [
      { connected: true, latency_ms: 4 },
      {
        connected: false,
        latency_ms: 12,
        error: {
          error: 'Connection failed',
          message: 'Unable to connect to database: connection refused',
          code: 'CONNECTION_FAILED',
        },
      },
    ],
  });
