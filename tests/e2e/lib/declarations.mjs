// Reads types out of .d.ts files, by their syntax alone: a type becomes one of
//   { kind: 'string' | 'number' | 'boolean' | 'null' | 'unknown' }, { kind: 'literal', value }, { kind: 'array' | 'map', of },
//   { kind: 'union', of: [...] }, { kind: 'object', name, members: Map(name -> { optional, type }) }
// Members and elements are read when they are asked for, so that a file is parsed only when a type in it is needed.
// What is not understood throws: a new version of a package must not pass unread.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript';

const kind = (name) => ({ kind: name });
const keywords = new Map([
  [ts.SyntaxKind.StringKeyword, kind('string')],
  [ts.SyntaxKind.NumberKeyword, kind('number')],
  [ts.SyntaxKind.BooleanKeyword, kind('boolean')],
  [ts.SyntaxKind.NullKeyword, kind('null')],
  [ts.SyntaxKind.UnknownKeyword, kind('unknown')],
]);

// The names that a file or a namespace declares; an interface and a namespace may share one.
class Scope {
  constructor(statements, parent, file) {
    this.parent = parent;
    this.file = file;
    this.types = new Map();
    this.namespaces = new Map();
    this.imports = new Map(); // local name -> { file, name: null for a whole file }
    for (const one of statements) this.add(one);
  }
  add(one) {
    if (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one)) this.types.set(one.name.text, one);
    else if (ts.isModuleDeclaration(one)) this.namespaces.set(one.name.text, one);
    else if (ts.isImportDeclaration(one)) this.addImport(one);
  }
  addImport({ importClause, moduleSpecifier }) {
    const file = resolve(dirname(this.file), moduleSpecifier.text.replace(/\.js$/, '.d.ts'));
    const names = importClause?.namedBindings;
    if (!names) return;
    if (ts.isNamespaceImport(names)) this.imports.set(names.name.text, { file, name: null });
    else for (const { name, propertyName } of names.elements) this.imports.set(name.text, { file, name: (propertyName ?? name).text });
  }
  inner(name) {
    const made = this.namespaces.get(name);
    if (made && !(made instanceof Scope)) this.namespaces.set(name, new Scope(made.body.statements, this, this.file));
    return this.namespaces.get(name);
  }
}

const files = new Map();
function scopeOf(file) {
  if (!files.has(file)) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
    files.set(file, new Scope(source.statements, null, file));
  }
  return files.get(file);
}

/** The type that a file exports under the name. */
export const typeIn = (file, name) => declared(name, scopeOf(file), `${file}: ${name}`);

/** A type written out as text, e.g. "'a' | { b?: number }". */
export function typeOf(text) {
  const [alias] = ts.createSourceFile('text.d.ts', `type T = ${text};`, ts.ScriptTarget.Latest).statements;
  return read(alias.type, new Scope([], null, 'text.d.ts'));
}

const known = new Map(); // declaration -> type
function declared(name, scope, what) {
  const own = scope.types.get(name);
  if (!own) {
    const from = scope.imports.get(name);
    if (from?.name) return declared(from.name, scopeOf(from.file), what);
    if (scope.parent) return declared(name, scope.parent, what);
    throw new Error(`${what} is not declared`);
  }
  if (!known.has(own)) known.set(own, ts.isInterfaceDeclaration(own) ? objectOf(own, scope) : read(own.type, scope));
  return known.get(own);
}

function namespace(name, scope) {
  const found = scope.inner(name);
  if (found) return found;
  const from = scope.imports.get(name);
  if (from) return from.name ? namespace(from.name, scopeOf(from.file)) : scopeOf(from.file);
  if (scope.parent) return namespace(name, scope.parent);
  throw new Error(`namespace ${name} is not declared in ${scope.file}`);
}

function reference(name, scope) {
  if (ts.isIdentifier(name)) return declared(name.text, scope, `${scope.file}: ${name.text}`);
  const left = (one) => (ts.isIdentifier(one) ? namespace(one.text, scope) : namespace(one.right.text, left(one.left)));
  return declared(name.right.text, left(name.left), `${scope.file}: ${name.right.text}`);
}

function read(node, scope) {
  if (keywords.has(node.kind)) return keywords.get(node.kind);
  if (ts.isParenthesizedTypeNode(node)) return read(node.type, scope);
  if (ts.isLiteralTypeNode(node)) return literal(node.literal);
  if (ts.isArrayTypeNode(node)) return { kind: 'array', of: read(node.elementType, scope) };
  if (ts.isUnionTypeNode(node)) return union(node.types.map((one) => read(one, scope)));
  if (ts.isIntersectionTypeNode(node)) return read(node.types[0], scope); // `string & {}`: any string, with names suggested
  if (ts.isTypeLiteralNode(node)) return objectOf(node, scope);
  if (ts.isTypeReferenceNode(node)) {
    if (node.typeName.text === 'Array') return { kind: 'array', of: read(node.typeArguments[0], scope) };
    return reference(node.typeName, scope);
  }
  throw new Error(`${scope.file}: a type that is not understood: ${ts.SyntaxKind[node.kind]}`);
}

function literal(node) {
  if (node.kind === ts.SyntaxKind.NullKeyword) return kind('null');
  if (node.kind === ts.SyntaxKind.TrueKeyword) return { kind: 'literal', value: true };
  if (node.kind === ts.SyntaxKind.FalseKeyword) return { kind: 'literal', value: false };
  return { kind: 'literal', value: ts.isNumericLiteral(node) ? Number(node.text) : node.text };
}

const union = (of) => ({ kind: 'union', of: of.flatMap((one) => (one.kind === 'union' ? one.of : [one])) });

function objectOf(node, scope) {
  if (node.heritageClauses) throw new Error(`${scope.file}: ${node.name.text} extends another type`);
  const index = node.members.find(ts.isIndexSignatureDeclaration);
  if (index) return { kind: 'map', of: read(index.type, scope) };
  let members;
  return {
    kind: 'object',
    name: node.name?.text,
    get members() {
      members ??= new Map(node.members.map((one) => [one.name.text, { optional: !!one.questionToken, type: read(one.type, scope) }]));
      return members;
    },
  };
}
