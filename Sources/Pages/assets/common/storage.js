// A page in a frame may not be allowed any storage; it then remembers for as long as it is open.
const memory = new Map();

function guarded(use) {
  try { return use(); } catch { return null; }
}

export function remembered(name, area = "localStorage") {
  return guarded(() => window[area].getItem(`belfry.${name}`)) ?? memory.get(`${area}.${name}`) ?? null;
}

export function remember(name, value, area = "localStorage") {
  memory.set(`${area}.${name}`, value);
  guarded(() => window[area].setItem(`belfry.${name}`, value));
}

export function forget(name, area = "localStorage") {
  memory.delete(`${area}.${name}`);
  guarded(() => window[area].removeItem(`belfry.${name}`));
}
