/** Public keys of nodes as on the wire: JWKs as text, as `npm run keygen` prints them. Spec: nodes.md §1. */
import type { JWK } from 'jose';
import * as z from 'zod';

/** Members of a public JWK of each sort; a private half is refused. RFC 7518 §6.2.1, RFC 8037 §2. */
const FORMS = {
  Ed25519: z.object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: z.base64url().length(43),
  }),
  'P-256': z.object({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.base64url().length(43),
    y: z.base64url().length(43),
  }),
};

/** Of RFC 8037 and RFC 7517. */
export const KEY_EXAMPLES = {
  Ed25519: '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}',
  'P-256':
    '{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}',
};

function publicKey(curve: keyof typeof FORMS, what: string) {
  return z
    .string()
    .max(1_024)
    .transform((text, faults): JWK => {
      const parsed = FORMS[curve].safeParse(jsonOf(text));
      const isPrivate = /"d"\s*:/.test(text);
      if (parsed.success && !isPrivate) return parsed.data;
      const form = `must be the public half of a key on ${curve}, a JWK as JSON text`;
      const message = isPrivate
        ? `holds a private key, which is for the relay alone; it ${form}`
        : form;
      faults.addIssue({ code: 'custom', message });
      return z.NEVER;
    })
    .meta({
      description: `${what}: a public JWK as JSON text, as \`npm run keygen\` prints it`,
      override: {
        type: 'string',
        examples: [KEY_EXAMPLES[curve]],
      },
    });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a relay signs with. */
export const SigningKey = publicKey('Ed25519', 'What its requests are signed with');
/** What a relay opens connections with. */
export const SealingKey = publicKey('P-256', 'What connections are sealed to');
