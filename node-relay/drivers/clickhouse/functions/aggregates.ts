/** Aggregate and window functions of ClickHouse's, in lower case; all of them compute only. Source: system.functions of 26.9. */

/** Without those that reveal the server's own program (`flameGraph`) or fail by chance (`aggThrow`). */
export const AGGREGATES = `
  analysisofvariance anova any any_respect_nulls any_value any_value_respect_nulls anyheavy
  anylast anylast_respect_nulls anylastrespectnulls anyrespectnulls anyvaluerespectnulls
  approx_top_count approx_top_k approx_top_sum argandmax argandmin argmax argmin array_agg
  array_concat_agg avg avgweighted bit_and bit_or bit_xor boundingratio
  categoricalinformationvalue contingency corr corrmatrix corrstable count covar_pop covar_samp
  covarpop covarpopmatrix covarpopstable covarsamp covarsampmatrix covarsampstable cramersv
  cramersvbiascorrected cume_dist deltasum deltasumtimestamp dense_rank denserank
  distinctdynamictypes distinctjsonpaths distinctjsonpathsandtypes entropy
  estimatecompressionratio exponentialmovingaverage exponentialtimedecayedavg
  exponentialtimedecayedcount exponentialtimedecayedmax exponentialtimedecayedsum first_value
  first_value_respect_nulls firstvaluerespectnulls gini group_concat grouparray grouparrayinsertat
  grouparrayintersect grouparraylast grouparraymovingavg grouparraymovingsum grouparraysample
  grouparraysorted groupbitand groupbitmap groupbitmapand groupbitmapor groupbitmapxor groupbitor
  groupbitxor groupconcat groupformat groupnumericindexedvector groupuniqarray hierarchicalkmeans
  histogram intervallengthsum kolmogorovsmirnovtest kurtpop kurtsamp lag laginframe
  largesttrianglethreebuckets last_value last_value_respect_nulls lastvaluerespectnulls lead
  leadinframe lttb mannwhitneyutest max max_by maxintersections maxintersectionsposition
  maxmappedarrays meanztest median medianbfloat16 medianbfloat16weighted mediandd
  mediandeterministic medianexact medianexacthigh medianexactlow medianexactweighted
  medianexactweightedinterpolated mediangk medianinterpolatedweighted mediantdigest
  mediantdigestweighted mediantiming mediantimingweighted mergedjsonpatch min min_by
  minmappedarrays mvtencode nonnegativederivative nothing nothingnull nothinguint64 nth_value
  ntile percent_rank percentrank quantile quantilebfloat16 quantilebfloat16weighted quantiledd
  quantiledeterministic quantileexact quantileexactexclusive quantileexacthigh
  quantileexactinclusive quantileexactlow quantileexactweighted quantileexactweightedinterpolated
  quantilegk quantileinterpolatedweighted quantileprometheushistogram quantiles quantilesbfloat16
  quantilesbfloat16weighted quantilesdd quantilesdeterministic quantilesexact
  quantilesexactexclusive quantilesexacthigh quantilesexactinclusive quantilesexactlow
  quantilesexactweighted quantilesexactweightedinterpolated quantilesgk
  quantilesinterpolatedweighted quantilesprometheushistogram quantilestdigest
  quantilestdigestweighted quantilestiming quantilestimingweighted quantiletdigest
  quantiletdigestweighted quantiletiming quantiletimingweighted rank rankcorr regr_avgx regr_avgy
  regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy retention row_number
  sequencecount sequencematch sequencematchevents sequencenextnode simplelinearregression
  singlevalueornull skewpop skewsamp sparkbar st_asmvt std stddev stddev_pop stddev_samp stddevpop
  stddevpopstable stddevsamp stddevsampstable stochasticlinearregression
  stochasticlogisticregression string_agg studentttest studentttestonesample sum sumcount sumkahan
  summapfiltered summapfilteredwithoverflow summappedarrays summapwithoverflow sumwithoverflow
  theilsu timeseriesavgtogrid timeseriesbottomkmasks timeserieschangestogrid timeseriescounttogrid
  timeseriesdeltatogrid timeseriesderivtogrid timeseriesgrouparray timeseriesincreasetogrid
  timeseriesinstantdeltatogrid timeseriesinstantratetogrid timeserieslasttogrid
  timeserieslasttwosamples timeserieslimitkmasks timeseriesmaxtogrid timeseriesmintogrid
  timeseriespredictlineartogrid timeseriesratetogrid timeseriesresampletogridwithstaleness
  timeseriesresetstogrid timeseriessumtogrid timeseriestimestampofmaxtogrid
  timeseriestimestampofmintogrid timeseriestopkmasks topk topkweighted uniq uniqcombined
  uniqcombined64 uniqexact uniqhll12 uniqupto var_pop var_samp varpop varpopstable varsamp
  varsampstable welchttest windowfunnel`;

/** What a name of an aggregate function may end with. Source: system.aggregate_function_combinators. */
export const COMBINATORS = [
  'argmax',
  'argmin',
  'array',
  'distinct',
  'foreach',
  'if',
  'map',
  'merge',
  'mergestate',
  'null',
  'ordefault',
  'ornull',
  'resample',
  'simplestate',
  'state',
  'tuple',
];
