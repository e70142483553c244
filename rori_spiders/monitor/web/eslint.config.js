import a11y from 'eslint-plugin-jsx-a11y'
import hooks from 'eslint-plugin-react-hooks'
import globals from 'globals'
import ts from 'typescript-eslint'

export default ts.config(
  { ignores: ['node_modules', 'src/api/schema.d.ts'] },
  ...ts.configs.strict,
  a11y.flatConfigs.strict,
  hooks.configs.flat.recommended,
  {
    files: ['src/**/*.{ts,tsx}'],
    languageOptions: { globals: globals.browser },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']",
          message: 'Scraped text is hostile: it is never HTML here.',
        },
        {
          selector: "JSXOpeningElement[name.name='a'] JSXAttribute[name.name='href'] > JSXExpressionContainer",
          message: 'Addresses from outside go through components/data/SafeLink.tsx; our own through <Link>.',
        },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  { files: ['src/components/data/SafeLink.tsx'], rules: { 'no-restricted-syntax': 'off' } },
)
