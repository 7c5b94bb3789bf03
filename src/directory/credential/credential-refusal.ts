import { AppError } from '../../platform/errors.ts';

/** Whether none was sent, or what was sent opens nothing: unknown, over, revoked, or one of two that differ. */
export type CredentialFault = 'missing' | 'rejected';

/** The refusal of a credential, or of the want of one; its body says `UNAUTHORIZED`, and no more (rule C.errors.token). */
export class CredentialRefusal extends AppError {
  readonly fault: CredentialFault;
  constructor(fault: CredentialFault, message: string) {
    super('UNAUTHORIZED', message);
    this.name = 'CredentialRefusal';
    this.fault = fault;
  }
}

/** The refusal of who needs a credential and has sent none. */
export class MissingCredential extends CredentialRefusal {
  constructor() {
    super('missing', 'send an API key or token as Authorization: Bearer <credential>');
    this.name = 'MissingCredential';
  }
}
