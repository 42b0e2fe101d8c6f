import { json, jsonParseLinter } from '@codemirror/lang-json';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { graphql, updateSchema } from 'cm6-graphql';
import { basicSetup } from 'codemirror';
import type { GraphQLSchema } from 'graphql';
import { useEffect, useRef } from 'react';

interface CodeEditorProps {
  /** Its accessible name. */
  label: string;
  language: 'graphql' | 'json';
  value: string;
  /** Completes names of this schema, and marks mistakes. */
  schema?: GraphQLSchema | null;
  /** Without it, the text can only be read and copied. */
  onChange?: (text: string) => void;
  /** Called by Ctrl Enter, or Command Enter on a Mac. */
  onRun?: () => void;
}

/** An editor of CodeMirror in the colors of the page. Tab leaves it, like every other field. */
export function CodeEditor({ label, language, value, schema, onChange, onRun }: CodeEditorProps) {
  const element = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const handlers = useRef({ onChange, onRun });
  handlers.current = { onChange, onRun };
  const isReadOnly = onChange === undefined;

  useEffect(() => {
    const created = new EditorView({
      parent: element.current!,
      extensions: [
        Prec.highest(keymap.of([{ key: 'Mod-Enter', run: () => run(handlers.current.onRun) }])),
        basicSetup,
        language === 'graphql' ? graphql() : jsonOf(isReadOnly),
        syntaxHighlighting(COLORS),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, autocapitalize: 'off', tabindex: '0' }),
        EditorState.readOnly.of(isReadOnly),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) handlers.current.onChange?.(update.state.doc.toString());
        }),
      ],
    });
    view.current = created;
    return () => created.destroy();
  }, [label, language, isReadOnly]);

  useEffect(() => {
    const { state } = view.current!;
    const { length } = state.doc;
    if (state.doc.toString() !== value) view.current!.dispatch({ changes: { from: 0, to: length, insert: value } });
  }, [value]);

  useEffect(() => {
    if (schema) updateSchema(view.current as never, schema);
  }, [schema]);

  return <div ref={element} className="code-editor" />;
}

function run(action: (() => void) | undefined): boolean {
  action?.();
  return action !== undefined;
}

/** An empty text has no variables, which is no mistake. */
function jsonOf(isReadOnly: boolean): Extension {
  const mistakes = jsonParseLinter();
  if (isReadOnly) return json();
  return [json(), linter(({ state }) => (state.doc.length === 0 ? [] : mistakes({ state } as EditorView)))];
}

const COLORS = HighlightStyle.define([
  { tag: [tags.keyword, tags.definitionKeyword], color: 'var(--token-keyword)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--token-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.variableName], color: 'var(--token-constant)' },
  { tag: [tags.typeName, tags.attributeName, tags.propertyName], color: 'var(--token-function)' },
  { tag: [tags.comment, tags.punctuation], color: 'var(--token-comment)' },
]);
