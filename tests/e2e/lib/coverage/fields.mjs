// Takes a declared type apart into the fields that a client can set, each with the values to try:
//   { label, steps, variants: [{ value, body }], whole }
// label  'audio.input.turn_detection(server_vad).threshold': (...) names the alternative of a union
// steps  the way to the value in an answer of the same shape: ['audio', 'input', 'turn_detection', 'threshold']
// body   the smallest object that has the value in place
// inner  the own fields of an alternative of a union, worth trying only when the alternative is taken
import { companions, sample } from './samples.mjs';

export function fieldsOf(type, { skip = [] } = {}) {
  return [...membersOf(type, { label: '', steps: [], wrap: (value) => value })].filter(({ label }) => !skip.includes(label));
}

const isObject = ({ kind }) => kind === 'object';
const isScalar = ({ kind }) => ['string', 'number', 'boolean', 'literal', 'null', 'unknown'].includes(kind);

function* membersOf(type, at, { without = [] } = {}) {
  for (const [name, member] of type.members) {
    if (without.includes(name)) continue;
    const label = at.label ? `${at.label}.${name}` : name;
    const wrap = (value) => at.wrap({ ...baseOf(type, label), ...(value === undefined ? {} : { [name]: value }) });
    yield* valuesOf(member.type, { label, steps: [...at.steps, name], wrap });
  }
}

/** What must be there beside a field: the literals that say what the object is, what is required, what the sample needs. */
function baseOf(type, label) {
  const base = {};
  for (const [name, member] of type.members) {
    const { kind } = member.type;
    if (kind === 'literal' && (name === 'type' || !member.optional)) base[name] = member.type.value;
    else if (!member.optional) base[name] = smallest(member.type, label.replace(/[^.]*$/, name));
  }
  return { ...base, ...companions(label, type.name) };
}

function smallest(type, label) {
  if (type.kind === 'array') return [smallest(type.of, `${label}[]`)];
  if (isObject(type)) return baseOf(type, `${label}.`);
  if (type.kind === 'union') return smallest(type.of[0], label);
  return type.kind === 'literal' ? type.value : sampled(label)[0];
}

function* valuesOf(type, at) {
  const alternatives = type.kind === 'union' ? type.of : [type];
  const scalars = alternatives.filter(isScalar);
  if (scalars.length) yield field(at, scalarValues(scalars, at.label));
  const others = alternatives.filter((one) => !isScalar(one));
  for (const one of others) yield* partsOf(one, at, alternatives.length > 1);
}

function* partsOf(type, at, isAlternative) {
  if (type.kind === 'array') return yield* elementsOf(type.of, at);
  if (type.kind === 'map') return yield* valuesOf(type.of, { label: `${at.label}.*`, steps: [...at.steps, 'place'], wrap: (value) => at.wrap({ place: value }) });
  if (!isAlternative) return yield* membersOf(type, at);
  const label = `${at.label}(${nameOf(type)})`;
  const own = [...literals(type)].filter(([name, member]) => name === 'type' || !member.optional).map(([name]) => name);
  yield { ...field({ ...at, label }, [baseOf(type, `${label}.`)]), inner: () => [...membersOf(type, { ...at, label }, { without: own })] };
}

function* elementsOf(type, at) {
  const inside = { label: `${at.label}[]`, steps: [...at.steps, 0], wrap: (value) => at.wrap([value]) };
  const scalars = (type.kind === 'union' ? type.of : [type]).filter(isScalar);
  if (scalars.length) yield field(at, scalarValues(scalars, at.label).map((value) => (Array.isArray(value) ? value : [value])));
  else yield* valuesOf(type, inside);
}

const literals = (type) => [...type.members].filter(([, member]) => member.type.kind === 'literal');
function nameOf(type) {
  const names = literals(type).filter(([name, member]) => ['type', 'role'].includes(name) || !member.optional);
  return names.map(([, member]) => member.type.value).sort().join(' ') || type.name;
}

/** Every literal; one value of a type that is open, beside which literals are only suggestions. */
function scalarValues(scalars, label) {
  const open = scalars.filter(({ kind }) => kind === 'string' || kind === 'number' || kind === 'unknown');
  const isText = open.some(({ kind }) => kind === 'string');
  const fixed = scalars.filter(({ kind, value }) => kind === 'literal' && !(isText && typeof value === 'string')).map(({ value }) => value);
  const flags = scalars.some(({ kind }) => kind === 'boolean') ? [false, true] : [];
  const none = scalars.some(({ kind }) => kind === 'null') ? [null] : [];
  return [...open.flatMap(() => sampled(label)), ...fixed, ...flags, ...none];
}

const sampled = (label) => sample(label)?.several ?? [sample(label)];

const field = ({ label, steps, wrap }, values) => ({ label, steps, variants: values.map((value) => ({ value, body: wrap(value) })), inner: () => [] });
