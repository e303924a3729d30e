// Preact and htm: every module of ours imports them from here.
export {
  html, render, useCallback, useContext, useEffect, useErrorBoundary, useLayoutEffect, useMemo,
  useReducer, useRef, useState,
} from "../vendor/preact-htm.js";
