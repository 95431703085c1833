set encoding utf8
set terminal svg size 700,166 fixed noenhanced font 'sans-serif,13' background rgb '#ffffff'
set border 1 lc rgb '#57606a'
set tics nomirror scale 0.5,0.25 textcolor rgb '#1f2328'
set grid lc rgb '#d0d7de' dt 1 lw 1
set lmargin at screen 0.1314
set rmargin at screen 0.9109
set tmargin at screen 0.7229
set bmargin at screen 0.2169
set label 'Title' at screen 0.0143, screen 0.8675 left font 'sans-serif,15' textcolor rgb '#1f2328'
set grid noytics
set border 0
set xrange [0:51515.1515]
set yrange [2.5:-0.5]
set xtics ('0' 0, '20k' 20000, '40k' 40000)
unset ytics
set label 'http-fast' at graph 0, first 0 right offset char -0.8,0 textcolor rgb '#1f2328'
set label '51,061' at first 51515.1515, first 0 left offset char 0.8,0 front textcolor rgb '#1f2328'
set label 'http-slow' at graph 0, first 1 right offset char -0.8,0 textcolor rgb '#1f2328'
set label '30,450' at first 30900, first 1 left offset char 0.8,0 front textcolor rgb '#1f2328'
set label 'http-wrong' at graph 0, first 2 right offset char -0.8,0 textcolor rgb '#1f2328'
set label 'FAIL: no verified reply: status 198,016' at first 0, first 2 left offset char 0.8,0 front textcolor rgb '#1f2328'
$bars << EOD
51060.6061 50606.0606 51515.1515 0
30450 30000 30900 1
EOD
plot $bars using 1:4:(0):1:($4-0.34):($4+0.34) with boxxyerror fs solid 1 noborder fc rgb '#0072b2' notitle, \
  $bars using 1:4:2:3 with xerrorbars pt -1 lw 1.5 lc rgb '#1f2328' notitle
