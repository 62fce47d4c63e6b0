/** What is open on a gateway that others than this machine can reach: said when it starts. */
import { isLoopback } from './options.ts';
import { allowed, type StartPlan } from './plan.ts';

/** One sentence for each thing that is open and may not be meant to be; none where only this machine reaches the gateway. */
export function openings({ options, bindings, elsewhere }: StartPlan): readonly string[] {
  const { host, trustedProxy } = options;
  const ofRelay =
    elsewhere?.isPlain && !isLoopback(new URL(elsewhere.url).hostname.replace(/[[\]]/g, ''))
      ? [
          'RELAY_URL is plain HTTP, so statements and results can be read on the way: give the relay a certificate.',
        ]
      : [];
  if (isLoopback(host) && trustedProxy === undefined) return ofRelay;
  return [
    ...ofRelay,
    ...(bindings.NEW_ORG_TOKEN === undefined
      ? ['Everybody who reaches the gateway can create organizations: set NEW_ORG_TOKEN.']
      : []),
    ...(trustedProxy === undefined
      ? [
          'The gateway speaks plain HTTP, so passwords and tokens can be read on the way: put a proxy with TLS before it and name it in TRUSTED_PROXY.',
        ]
      : []),
    ...(elsewhere === undefined ? ofAddresses(allowed(host, undefined)) : []),
  ];
}

function ofAddresses(allow: string): readonly string[] {
  if (allow === '') {
    return [
      'RELAY_ALLOW is empty: endpoints can connect to every public address, and to no private one; name the private databases that they may reach.',
    ];
  }
  if (!allow.split(',').some((entry) => entry.trim() === '*')) return [];
  return [
    'RELAY_ALLOW is *: endpoints can connect to every address that this machine reaches; name those that they may reach.',
  ];
}
