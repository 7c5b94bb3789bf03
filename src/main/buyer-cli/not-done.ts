/** What was asked for did not come about, and has been told already (exit status 1). */
export class NotDone extends Error {
  constructor() {
    super('not done');
    this.name = 'NotDone';
  }
}
