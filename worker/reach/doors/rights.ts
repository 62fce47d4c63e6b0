/** The rights of one account on all that a run reaches. */
import { type MembershipRow, type Policy, policyOf, type Rule } from '../../access/policy.ts';
import type { Context } from '../../context.ts';

/** Of whose rights a run has, or one part of it. */
export class Rights {
  /** Its caller is the account. */
  readonly ctx: Context;
  readonly #standing: readonly MembershipRow[];
  readonly #rules: readonly Rule[];

  constructor(ctx: Context, standing: readonly MembershipRow[], rules: readonly Rule[]) {
    this.ctx = ctx;
    this.#standing = standing;
    this.#rules = rules;
  }

  /** @throws GatewayError TOKEN_REVOKED; of the author of a door FORBIDDEN, where they are no member any more */
  policyOn(kind: 'endpoint' | 'template', uuid: string): Policy {
    const { orgUuid } = this.ctx.caller;
    const rules = this.#rules.filter(
      ({ resourceUuid }) => resourceUuid === orgUuid || resourceUuid === uuid,
    );
    return policyOf(this.ctx, this.#standing, rules, { kind, uuid });
  }

  /** On the organization alone. @throws GatewayError as `policyOn` */
  get onOrganization(): Policy {
    const { orgUuid } = this.ctx.caller;
    const rules = this.#rules.filter(({ resourceUuid }) => resourceUuid === orgUuid);
    return policyOf(this.ctx, this.#standing, rules);
  }
}
