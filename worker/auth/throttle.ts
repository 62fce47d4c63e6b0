/** Counts every check of a password, and every reset, before the work that it costs. Contract §3. */
import type { PublicContext } from '../context.ts';
import { count, type Limit, subscriberOf } from '../limits/rate.ts';

const BY_ADDRESS: Limit = {
  name: 'password-by-address',
  quota: 50,
  windowSeconds: 60,
  binding: (env) => env.LIMIT_PASSWORD_BY_ADDRESS,
};
const BY_ACCOUNT: Limit = {
  name: 'password-by-account',
  quota: 30,
  windowSeconds: 60,
  binding: (env) => env.LIMIT_PASSWORD_BY_ACCOUNT,
};

/** What stands for one piece of work, and for no second. Only this module makes one. */
class Voucher<Name extends string> {
  readonly #name: Name;
  #spent = false;

  constructor(name: Name) {
    this.#name = name;
  }

  /** @throws Error when it was spent before: something is done without being counted */
  spend(): void {
    if (this.#spent) throw new Error(`${this.#name} was spent before`);
    this.#spent = true;
  }
}

/** A check that was counted against an address, and is still to be counted against an account. */
type AddressCount = Voucher<'A count for an address'>;

/** A check of a password that was counted: without one, nothing is hashed. */
export type CountedCheck = Voucher<'A counted check'>;

/**
 * Counts a check against the caller's address.
 * @throws GatewayError RATE_LIMITED
 */
export async function countForAddress(ctx: PublicContext): Promise<AddressCount> {
  await count(ctx, BY_ADDRESS, subscriberOf(ctx.address));
  return new Voucher('A count for an address');
}

/**
 * Counts a check against an account and the caller's address: attempts from other addresses do not lock the
 * owner out.
 * @param accountKey the account's `usernameKey`, else the name as the client gave it
 * @throws GatewayError RATE_LIMITED
 */
export async function countForAccount(
  ctx: PublicContext,
  address: AddressCount,
  accountKey: string,
): Promise<CountedCheck> {
  address.spend();
  await count(ctx, BY_ACCOUNT, `${subscriberOf(ctx.address)} ${accountKey}`);
  return new Voucher('A counted check');
}

/**
 * Counts several checks of one request, all of them before the first is carried out.
 * @param keyOf the `usernameKey` of the account that a check is of
 * @returns each with what it is for
 * @throws GatewayError RATE_LIMITED when there is one too many among them
 */
export async function countAll<Of>(
  ctx: PublicContext,
  all: readonly Of[],
  keyOf: (of: Of) => string,
): Promise<(readonly [Of, CountedCheck])[]> {
  const addresses: (readonly [Of, AddressCount])[] = [];
  for (const of of all) addresses.push([of, await countForAddress(ctx)]);
  const checks: (readonly [Of, CountedCheck])[] = [];
  for (const [of, address] of addresses) {
    checks.push([of, await countForAccount(ctx, address, keyOf(of))]);
  }
  return checks;
}
