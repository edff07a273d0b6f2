// What an operator changed and did not save yet, by person: a session that ends, or another view that is opened, takes nothing of it away.
export const drafts = new Map();

/** Whoever signs in next has no part in what somebody else was about to save. */
export const forgetDrafts = () => drafts.clear();
export const forgetDraftOf = (user) => drafts.delete(user);
